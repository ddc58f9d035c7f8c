"""Figures of sigir2017 Tables 3 and 4 and of the learning curve; summaries side by side as HTML."""

from collections.abc import Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING, Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from citectx.papers.sigir2017.ratings import FILES
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
.citectx-two { display: flex; flex-wrap: wrap; gap: 1rem; font-family: Georgia, serif; line-height: 1.5; }
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
        lines = [f"<h4>{escape(title)}</h4>"]
        for i in chosen:
            sentence = material.sentences[i]
            citance = material.topic.citances[sentence.citance]
            source = (
                f"citance {citance.citance_id}, from {citance.citing_id}"
                if sentence.kind == "citance"
                else f"the article, found for citance {citance.citance_id}"
            )
            lines.append(
                f'<p class="{sentence.kind}">{escape(sentence.text)}<br><small>{escape(source)}</small></p>'
            )
        columns.append(f"<section>{''.join(lines)}</section>")
    return HTML(f'<style>{STYLE}</style><div class="citectx-two">{"".join(columns)}</div>')


def quartiles(
    scores: pd.DataFrame,
    published: Mapping[tuple[str, str], float],
    groups: Sequence[str],
    title: str,
) -> Figure:
    """Draw the best model's c-F of every citance by quartile of human precision, mean and spread on
    top.

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
    beside = np.random.default_rng(0).uniform(
        -0.3, -0.1, len(own)
    )  # seaborn's own jitter is another each time
    own = own.assign(place=own["method"].map(list(groups).index) + beside)
    ours = own.groupby(["corpus", "method"], sort=False)["c-F"].agg(["mean", "std"]).reset_index()
    corpora = ours["corpus"].unique().tolist()
    theirs = [
        (corpus, q, published[q, "c-F"], published[q, "c-F sd"])
        for corpus in corpora
        for q in groups
    ]
    paper = pd.DataFrame(theirs, columns=["corpus", "method", "mean", "std"])
    both = pd.concat([ours.assign(series="ours"), paper.assign(series=PAPER)], ignore_index=True)
    low, high = both["mean"] - both["std"], both["mean"] + both["std"]
    means = with_ends(
        both.assign(value=both["mean"], ci_low=low, ci_high=high).drop(columns=["mean", "std"])
    )
    figure, axes = panels(corpora, 4.0, 0.4, 3.8)
    style: dict[str, Any] = {
        "palette": [PALETTE[0], "black"],
        "markers": [MARKS[0], "x"],
        "linestyle": "none",
    }
    style |= {
        "estimator": "median",
        "errorbar": ("pi", 100),
        "err_kws": {"linewidth": 1.6},
        "capsize": 0.1,
    }
    for ax, corpus in zip(axes, corpora, strict=True):
        here = means[means["corpus"] == corpus]
        sns.pointplot(
            here, x="method", y="at", hue="series", order=groups, dodge=0.4, **style, ax=ax
        )
        dots = own[own["corpus"] == corpus]
        sns.scatterplot(dots, x="place", y="c-F", color="0.6", alpha=0.6, s=20, zorder=1, ax=ax)
        ax.legend().remove()  # one for all panels, below
        ax.set(xlabel="quartile of human precision", ylabel="")
    axes[0].set_ylabel("c-F of the best model (%)")
    legend_below(figure, axes[0])
    return finished(figure, title)


def gains(
    against: pd.DataFrame,
    published: Mapping[tuple[str, str], float],
    base: str,
    kind: str,
    title: str,
) -> Figure:
    """Draw what each row gains over a base, a panel for each summarizer; crosses are the paper's
    gains.

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
    cells = rows[["method", "metric"]].drop_duplicates()
    known = [
        published.get((m, k), np.nan) - published.get((base, k), np.nan)
        for m, k in cells.to_numpy()
    ]
    rows = pd.concat([rows, cells.assign(corpus=PAPER, value=known).dropna()], ignore_index=True)
    rows["summarizer"] = rows["metric"].str.removesuffix(f" {kind}")
    grid = estimates(rows, "corpus", "summarizer", width=2.4, more=1.4, height=0.14)
    grid.refline(x=0, color="black", ls="-", lw=1)
    grid.set(xlabel=f"{kind}, points")
    return finished(grid.figure, title)


def learning_curve(table: pd.DataFrame, texts: pd.DataFrame, title: str) -> Figure:
    """Draw what vectors gain from more text: agreement with people's ratings, and contexts found.

    Parameters
    ----------
    table, texts : DataFrame
        The table ``embeddings_curve`` and its extra ``texts``. Of the word sets, the mean is drawn
        over those of which all shares know 100 pairs.
    title : str
    """
    metrics = ["nDCG", "c-P@1", "c-F"]
    figure, grid = plt.subplots(2, 2, figsize=(8.4, 6.8))
    axes = list(grid.flat)
    words = texts.set_index("method")["words"] / 1e6
    enough = table[(table["metric"] == "spearman") & (table["n"] >= 100)]
    ratings = enough.assign(domain=enough["corpus"].map(lambda name: FILES[name][0]))
    for i, (row, text) in enumerate(
        {"WE_Wiki": "general text", "WE_Bio": "biomedical text"}.items()
    ):
        look: dict[str, Any] = {"marker": MARKS[i], "color": PALETTE[i]}
        for domain, line in (("general", "-"), ("biomedical", ":")):
            own = ratings[ratings["method"].str.startswith(row) & (ratings["domain"] == domain)]
            means = own.groupby("method", sort=False)["value"].mean()
            axes[0].plot(
                words[means.index], means, ls=line, label=f"{text}, {domain} pairs", **look
            )
        for ax, metric in zip(axes[1:], metrics, strict=True):
            own = table[table["method"].str.startswith(row) & (table["metric"] == metric)]
            spread = [own["value"] - own["ci_low"], own["ci_high"] - own["value"]]
            ax.errorbar(words[own["method"]] * 1.06**i, own["value"], spread, capsize=3, **look)
    for ax, metric in zip(axes[1:], metrics, strict=True):
        [level] = table.loc[(table["method"] == "LMD") & (table["metric"] == metric), "value"]
        ax.axhline(level, color="black", ls="--", lw=1.4, label="LMD (no vectors)")
    for ax, name in zip(
        axes, ["rated pairs of words: ρ", *(f"contexts: {m} (%)" for m in metrics)], strict=True
    ):
        ax.set(xscale="log", xticks=[4, 8, 16, 32], xticklabels=["4", "8", "16", "32"])
        ax.set(title=name, xlabel="million words")
        ax.minorticks_off()
    axes[0].plot([], [], color="black", ls="--", lw=1.4, label="LMD (no vectors)")
    legend_below(figure, axes[0], columns=2)
    return finished(figure, title)
