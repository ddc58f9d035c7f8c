"""An impact summary as HTML, each sentence with the citation contexts that are nearest to it."""

from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING

from citectx.language.citation_contexts import CitationContext
from citectx.papers.acl2008.impact_set import ImpactPaper

if TYPE_CHECKING:
    from IPython.display import HTML

STYLE = """
.citectx-impact { display: grid; grid-template-columns: minmax(14rem, 1fr) minmax(14rem, 1fr); gap: .5rem;
  font-family: Georgia, serif; line-height: 1.45; color: #1a1a1a; background: #fff; padding: .6rem; }
.citectx-impact h4 { font: 600 .9rem system-ui, sans-serif; margin: 0 !important; }
.citectx-impact p { margin: 0 0 .4rem; }
.citectx-impact .own { border-left: 4px solid #d5d5d5; padding-left: .6rem; }
.citectx-impact .picked { border-left: 4px double #d55e00; }
.citectx-impact .citing { font-weight: 600; }
.citectx-impact small { font: .75rem system-ui, sans-serif; color: #555; }
"""
"""A double bar marks sentences that annotators picked; within a context, the citing sentence is bold."""


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
    return HTML(f'<style>{STYLE}</style><div class="citectx-impact">{"".join(cells)}</div>')


def _context(context: CitationContext, cosine: float) -> str:
    sentences = " ".join(
        f'<span class="citing">{escape(text)}</span>' if k == 0 else escape(text)
        for text, k in zip(context.sentences, context.distances, strict=True)
    )
    source = f"citance {context.citance_id}, from {context.citing_id}; cosine {cosine:.2f}"
    return f"<p>{sentences}<br><small>{escape(source)}</small></p>"
