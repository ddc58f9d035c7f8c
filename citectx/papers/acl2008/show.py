"""Figures of acl2008, and an impact summary as HTML."""

from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.figure import Figure

from citectx.language.citation_contexts import CitationContext
from citectx.papers.acl2008.impact_set import ImpactPaper
from citectx.show.plotting import MARKS, PALETTE, finished, legend_below, mark, panels, single

if TYPE_CHECKING:
    from IPython.display import HTML

CSS = Path(__file__).with_name("impact.css")
"""A double bar marks sentences that annotators picked; in a context, the citing one is bold."""
LABELS = {
    "mu_s": "μ_s (smoothing of sentences)",
    "mu_c": "μ_c (weight of contexts, Eq. 2)",
    "delta": "δ (weight of contexts, Eq. 3)",
    "alpha": "α (proximity)",
}
PUBLISHED = {"mu_s": 1000.0, "mu_c": 20_000.0, "delta": 0.8, "alpha": 3.0}
"""The paper's settings."""


def by_length(
    table: pd.DataFrame,
    published: Mapping[tuple[str, str], float],
    methods: Sequence[str],
    score: str,
    title: str,
) -> Figure:
    """Draw a score over the length of summaries, a panel for the paper and for each corpus.

    Parameters
    ----------
    table : DataFrame
        Tidy rows of ``acl2008_table1``.
    published : mapping of (method, metric) to float
        The paper's values; empty for no such panel.
    methods : sequence of str
    score : str
        "ROUGE-L", say.
    title : str
    """
    paper = [("paper (ACL 2008)", *cell, value) for cell, value in published.items()]
    columns = ["corpus", "method", "metric", "value"]
    rows = pd.concat([pd.DataFrame(paper, columns=columns), table[columns]], ignore_index=True)
    rows = rows[rows["metric"].str.fullmatch(rf"{score} @\d+") & rows["method"].isin(list(methods))]
    rows = rows.assign(length=rows["metric"].str.partition("@")[2].astype(int))
    corpora = rows["corpus"].unique().tolist()
    figure, axes = panels(corpora, 3.9, 0.4, 3.0, columns=2)
    for ax, corpus in zip(axes, corpora, strict=True):
        for i, method in enumerate(methods):
            own = rows[(rows["corpus"] == corpus) & (rows["method"] == method)]
            own = own.sort_values("length")
            ax.plot(own["length"], own["value"], **mark(i), label=method)
        ax.set(xlabel="sentences of the summary")
    axes[0].set_ylim(0, None)
    figure.supylabel(f"{score}, recall", fontsize=12)
    legend_below(figure, axes[0])
    return finished(figure, title)


def sensitivity(curves: pd.DataFrame, metric: str, title: str) -> Figure:
    """Draw a score over each parameter, a line a corpus, a dotted one at the published setting.

    Parameters
    ----------
    curves : DataFrame
        As ``acl2008_sensitivity.curves`` has them.
    metric : str
    title : str
    """
    rows = curves[curves["metric"] == metric]
    parameters = rows["parameter"].unique().tolist()
    figure, axes = panels(parameters, 4.0, 0.4, 3.2, columns=2)
    for ax, parameter in zip(axes, parameters, strict=True):
        shown = rows[rows["parameter"] == parameter].sort_values("at").groupby("corpus", sort=False)
        for i, corpus in enumerate(rows["corpus"].unique().tolist()):
            own = shown.get_group(corpus)
            ax.plot(own["at"], own["value"], **mark(i), ms=5, label=corpus)
            ends = own["at"], own["ci_low"], own["ci_high"]
            ax.fill_between(*ends, color=PALETTE[i], alpha=0.12, lw=0)
        if parameter.startswith("mu"):
            ax.set_xscale("symlog", linthresh=500 if parameter == "mu_c" else 1)
            ax.set_xticks([0, 1e3, 1e4, 1e5] if parameter == "mu_c" else [1, 1e2, 1e4])
        ax.axvline(PUBLISHED[parameter], color="black", ls=":", lw=1)
        ax.set(title="", xlabel=LABELS[parameter])
    figure.supylabel(f"{metric}, recall", fontsize=12)
    legend_below(figure, axes[0])
    return finished(figure, title)


def raised_words(words: pd.DataFrame, title: str) -> Figure:
    """Draw the words that the impact model raises over the document model.

    Parameters
    ----------
    words : DataFrame
        Columns word, document, impact (probabilities), from
        `citectx.summarization.impact.raised_words`.
    title : str
    """
    import seaborn as sns

    models = {"document": "p(w|d), the paper", "impact": "p(w|θ), its impact"}
    named = words.rename(columns=models)
    points = named.melt("word", list(models.values()), "model", "probability")
    look: dict[str, Any] = {"palette": PALETTE[:2], "markers": MARKS[:2], "s": 60, "zorder": 2}
    _, ax = plt.subplots(figsize=(7.5, 0.32 * len(words) + 1.5))
    ax.hlines(words["word"], words["document"], words["impact"], color="#bbbbbb", lw=2, zorder=1)
    sns.scatterplot(points, x="probability", y="word", hue="model", style="model", **look, ax=ax)
    ax.set(ylabel="", xlim=(0, None))
    ax.locator_params(axis="x", nbins=5)
    ax.legend(frameon=False, loc="upper left", bbox_to_anchor=(1.0, 1.0))
    return single(ax, title)


def show_impact(paper: ImpactPaper, chosen: Sequence[int], contexts: int = 1) -> "HTML":
    """Show a summary on the left, and on the right the nearest contexts of each of its sentences.

    Parameters
    ----------
    paper : ImpactPaper
    chosen : sequence of int
        Sentences of the paper, in order of choice.
    contexts : int
        How many contexts to show beside each.

    Returns
    -------
    HTML
        A fragment with its own style. The text is escaped.
    """
    from IPython.display import HTML

    cells = ["<h4>sentence of the paper</h4>", "<h4>nearest citation context</h4>"]
    for place, i in enumerate(chosen, start=1):
        votes = int(paper.votes[i])
        kind = "own picked" if votes else "own"
        note = f"picked for {votes} citance{'s' if votes > 1 else ''}" if votes else "not picked"
        text = escape(paper.texts[i])
        cells.append(f'<p class="{kind}">{place}. {text}<br><small>{note}</small></p>')
        near = (_context(context, cosine) for context, cosine in paper.nearest(i, contexts))
        cells.append(f"<div>{''.join(near)}</div>")
    style, body = CSS.read_text("utf-8"), "".join(cells)
    return HTML(f'<style>\n{style}</style><div class="citectx-impact">{body}</div>')


def _context(context: CitationContext, cosine: float) -> str:
    sentences = " ".join(
        f'<span class="citing">{escape(text)}</span>' if k == 0 else escape(text)
        for text, k in zip(context.sentences, context.distances, strict=True)
    )
    source = f"citance {context.citance_id}, from {context.citing_id}; cosine {cosine:.2f}"
    return f"<p>{sentences}<br><small>{escape(source)}</small></p>"
