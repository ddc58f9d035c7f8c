"""Summaries side by side as HTML, each sentence with where it comes from."""

from collections.abc import Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING

from citectx.papers.sigir2017.summaries import Material

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
            lines.append(f'<p class="{sentence.kind}">{escape(sentence.text)}<br><small>{escape(source)}</small></p>')
        columns.append(f"<section>{''.join(lines)}</section>")
    return HTML(f'<style>{STYLE}</style><div class="citectx-two">{"".join(columns)}</div>')
