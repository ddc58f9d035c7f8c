"""Figures of sigir2017 Tables 3 and 4; summaries side by side as HTML."""

from collections.abc import Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING, Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from citectx.papers.sigir2017.summaries import Material
from citectx.show.plotting import MARKS, PALETTE, finished, legend_below

if TYPE_CHECKING:
    from IPython.display import HTML

PAPER: dict[str, Any] = {"color": "black", "marker": "x", "ls": "none"}
"""Crosses are the paper's numbers."""
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
        lines = "".join(paragraph(material, i) for i in chosen)
        columns.append(f"<section><h4>{escape(title)}</h4>{lines}</section>")
    return HTML(f'<style>{STYLE}</style><div class="citectx-two">{"".join(columns)}</div>')


def paragraph(material: Material, which: int) -> str:
    """Write a sentence with its source."""
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
    corpora, places = scores["corpus"].unique(), np.arange(len(groups))
    figure, axes = plt.subplots(
        1, len(corpora), figsize=(4 * len(corpora) + 0.4, 3.8), sharey=True, squeeze=False
    )
    theirs = [[published[group, metric] for group in groups] for metric in ("c-F", "c-F sd")]
    draw = np.random.default_rng(0)  # beside each other in the same way each time
    for ax, corpus in zip(axes.flat, corpora, strict=True):
        own = scores[scores["corpus"] == corpus].groupby("method")["c-F"]
        for place, group in enumerate(groups):
            values = own.get_group(group)
            beside = place + draw.uniform(-0.3, -0.1, len(values))
            ax.scatter(beside, values, color="0.6", alpha=0.6, s=20)
        mean, spread = own.mean()[groups], own.std()[groups]
        look: dict[str, Any] = {"color": PALETTE[0], "marker": "o", "ls": "none"}
        ax.errorbar(places, mean, yerr=spread, label="ours", capsize=4, **look)
        ax.errorbar(places + 0.2, theirs[0], yerr=theirs[1], label="paper", capsize=4, **PAPER)
        ax.set(title=corpus, xlabel="quartile of human precision")
        ax.set_xticks(places, groups)
    axes[0, 0].set_ylabel("c-F of the best model (%)")
    legend_below(figure, axes[0, 0])
    return finished(figure, title)


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
    rows = against[against["metric"].str.endswith(kind)]
    metrics, names = rows["metric"].unique(), rows["method"].unique().tolist()
    size = 2.4 * len(metrics) + 1.4, 0.35 * len(names) + 1.6
    figure, axes = plt.subplots(1, len(metrics), figsize=size, sharey=True, squeeze=False)
    for ax, metric in zip(axes.flat, metrics, strict=True):
        for i, (corpus, own) in enumerate(rows[rows["metric"] == metric].groupby("corpus")):
            heights = own["method"].map(names.index) + 0.2 * i
            ends = own["difference"] - own["ci_low"], own["ci_high"] - own["difference"]
            look: dict[str, Any] = {"color": PALETTE[i], "marker": MARKS[i], "ls": "none"}
            ax.errorbar(own["difference"], heights, xerr=ends, label=corpus, **look)
        reference = published.get((base, metric), np.nan)
        paper = [published.get((name, metric), np.nan) - reference for name in names]
        ax.plot(paper, np.arange(len(names)) - 0.2, label="paper", **PAPER)
        ax.axvline(0, color="black", lw=1)
        ax.set(title=metric.removesuffix(f" {kind}"), xlabel=f"{kind}, points")
    axes[0, 0].set_yticks(range(len(names)), names)
    axes[0, 0].invert_yaxis()
    legend_below(figure, axes[0, 0])
    return finished(figure, title)
