"""Figures of sigir2017 Tables 3 and 4; summaries side by side as HTML."""

from collections.abc import Mapping, Sequence
from html import escape
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from citectx.papers.sigir2017.summaries import Material
from citectx.show.plotting import (
    MARKS,
    PALETTE,
    PAPER,
    estimates,
    finished,
    legend_below,
    panels,
    with_ends,
)

if TYPE_CHECKING:
    from IPython.display import HTML

STYLE = """
.citectx-two { display: flex; flex-wrap: wrap; gap: 1rem; font-family: Georgia, serif; \
line-height: 1.5; }
.citectx-two section { flex: 1 1 20rem; min-width: 18rem; color: #1a1a1a; background: #fff;
  border: 1px solid #d5d5d5; border-radius: 6px; padding: .6rem 1rem; }
.citectx-two h4 { font: 600 .9rem system-ui, sans-serif; margin: .2rem 0 .6rem; }
.citectx-two p { margin: .35rem 0; padding-left: .6rem; border-left: 4px solid; }
.citectx-two .citance { border-color: #0072b2; }
.citectx-two .context { border-color: #e69f00; border-left-style: double; }
.citectx-two small { font: .75rem system-ui, sans-serif; color: #555; }
"""
"""Sentences of citing authors have a plain blue bar, those of the article a double orange one."""


def show_summaries(material: Material, summaries: Mapping[str, Sequence[int]]) -> "HTML":
    """Lay summaries out beside each other, in a notebook.

    Parameters
    ----------
    material : Material
    summaries : mapping of title to sequence of int
        Chosen sentences, as positions in ``material.sentences``.

    Returns
    -------
    HTML
        A fragment with its own style. The text is escaped.
    """
    from IPython.display import HTML

    columns = []
    for title, chosen in summaries.items():
        lines = "".join(_sentence(material, i) for i in chosen)
        columns.append(f"<section><h4>{escape(title)}</h4>{lines}</section>")
    return HTML(f'<style>{STYLE}</style><div class="citectx-two">{"".join(columns)}</div>')


def _sentence(material: Material, which: int) -> str:
    sentence = material.sentences[which]
    citance = material.topic.citances[sentence.citance]
    source = f"the article, found for citance {citance.citance_id}"
    if sentence.kind == "citance":
        source = f"citance {citance.citance_id}, from {citance.citing_id}"
    text = f"{escape(sentence.text)}<br><small>{escape(source)}</small>"
    return f'<p class="{sentence.kind}">{text}</p>'


def quartiles(
    scores: pd.DataFrame,
    published: Mapping[tuple[str, str], float],
    groups: Sequence[str],
    title: str,
) -> Figure:
    """Draw the best model's c-F of every citance by quartile, with mean and spread on top.

    Parameters
    ----------
    scores : DataFrame
        Columns corpus, method (the quartile), c-F, as the scores of ``sigir2017_table3`` have them.
    published : mapping of (quartile, "c-F" or "c-F sd") to float
    groups : sequence of str
        The quartiles in their order.
    title : str
    """
    import seaborn as sns

    own = scores[scores["method"].isin(groups)]
    # seaborn's own jitter is another each time
    beside = np.random.default_rng(0).uniform(-0.3, -0.1, len(own))
    own = own.assign(place=own["method"].map(list(groups).index) + beside)
    means = _spread(own, published, groups)
    corpora = own["corpus"].unique().tolist()
    figure, axes = panels(corpora, 4.0, 0.4, 3.8)
    style: dict[str, Any] = {"palette": [PALETTE[0], "black"], "markers": [MARKS[0], "x"]}
    style |= {"linestyle": "none", "dodge": 0.4, "order": groups}
    style |= {"estimator": "median", "errorbar": ("pi", 100)}
    style |= {"err_kws": {"linewidth": 1.6}, "capsize": 0.1}
    for ax, corpus in zip(axes, corpora, strict=True):
        here = means[means["corpus"] == corpus]
        sns.pointplot(here, x="method", y="at", hue="series", **style, ax=ax)
        dots = own[own["corpus"] == corpus]
        sns.scatterplot(dots, x="place", y="c-F", color="0.6", alpha=0.6, s=20, zorder=1, ax=ax)
        ax.legend().remove()  # one for all panels, below
        ax.set(xlabel="quartile of human precision", ylabel="")
    axes[0].set_ylabel("c-F of the best model (%)")
    legend_below(figure, axes[0])
    return finished(figure, title)


def _spread(
    scores: pd.DataFrame, published: Mapping[tuple[str, str], float], groups: Sequence[str]
) -> pd.DataFrame:
    """Return mean and spread of each quartile, ours and the paper's, as three points."""
    by_group = scores.groupby(["corpus", "method"], sort=False)["c-F"]
    ours = by_group.agg(["mean", "std"]).reset_index().assign(series="ours")
    rows = []
    for corpus, group in product(ours["corpus"].unique(), groups):
        rows.append((corpus, group, published[group, "c-F"], published[group, "c-F sd"]))
    paper = pd.DataFrame(rows, columns=["corpus", "method", "mean", "std"]).assign(series=PAPER)
    both = pd.concat([ours, paper], ignore_index=True).rename(columns={"mean": "value"})
    both["ci_low"], both["ci_high"] = both["value"] - both["std"], both["value"] + both["std"]
    return with_ends(both.drop(columns="std"))


def gains(
    against: pd.DataFrame,
    published: Mapping[tuple[str, str], float],
    base: str,
    kind: str,
    title: str,
) -> Figure:
    """Draw what each row gains over a base, a panel a summarizer; crosses are the paper's gains.

    Parameters
    ----------
    against : DataFrame
        Columns corpus, method, metric, difference, ci_low, ci_high, as ``against_none`` of Table 4
        has them.
    published : mapping of (method, metric) to float
        The paper's values, from which its gains are taken.
    base : str
        The row that others are compared with.
    kind : str
        End of the metrics to draw, such as "RG-2".
    title : str
    """
    rows = against[against["metric"].str.endswith(kind)].rename(columns={"difference": "value"})
    paper = []
    for method, metric in rows[["method", "metric"]].drop_duplicates().to_numpy():
        gained = published.get((method, metric), np.nan) - published.get((base, metric), np.nan)
        paper.append((method, metric, PAPER, gained))
    theirs = pd.DataFrame(paper, columns=["method", "metric", "corpus", "value"]).dropna()
    rows = pd.concat([rows, theirs], ignore_index=True)
    rows["summarizer"] = rows["metric"].str.removesuffix(f" {kind}")
    grid = estimates(rows, "corpus", "summarizer", width=2.4, more=1.4, height=0.14)
    grid.refline(x=0, color="black", ls="-", lw=1)
    grid.set(xlabel=f"{kind}, points")
    return finished(grid.figure, title)
