"""The context viewer: one HTML page with an article, its annotators and any number of methods.

What is on the page is decided in Python (`choose`: which methods, with which parameters; `content`:
spans, scores and places as plain data), and drawn by the files beside this one, ``page.html``,
``page.css``, ``marks.js`` and ``page.js``, which `render` joins to a single file that needs no
network.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from citectx.apps.viewer.command import choose as choose
from citectx.apps.viewer.command import cmd_view as cmd_view
from citectx.apps.viewer.content import Method as Method
from citectx.apps.viewer.content import content as content
from citectx.apps.viewer.page import framed as framed
from citectx.apps.viewer.page import render as render
from citectx.corpora.model import Citance, Topic
from citectx.errors import ParameterError
from citectx.experiments.contextualization import Prepared, Protocol
from citectx.language.text import SentenceSplitter
from citectx.retrieval import RetrievalModel

if TYPE_CHECKING:
    from IPython.display import HTML


def show(
    topic: Topic | Prepared,
    models: Mapping[str, RetrievalModel],
    citance: Citance | str | None = None,
    height: int = 720,
) -> "HTML":
    """Show the page of a topic in a notebook, as ``citectx view`` does: `frame` has the parameters.

    `citectx.show.html.show` shows one citance and its contexts without a script.
    """
    from IPython.display import HTML

    return HTML(frame(topic, models, citance, height))


def frame(
    topic: Topic | Prepared,
    models: Mapping[str, RetrievalModel],
    citance: Citance | str | None = None,
    height: int = 720,
) -> str:
    """Return the page of a topic in an iframe: what `show` puts into a notebook.

    Raises
    ------
    ParameterError
        If there is no such citance, or there are models but the topic is not prepared for them.
    """
    if isinstance(topic, Topic):
        if models:
            how = "experiments.contextualization.prepare(corpus, Protocol())"
            raise ParameterError(f"methods need a prepared topic: {how} gives {topic.topic_id}")
        topic = Prepared(topic, SentenceSplitter.of([topic.reference]), Protocol())
    start = citance.citance_id if isinstance(citance, Citance) else citance
    shown = [Method(name, model, "as given") for name, model in models.items()]
    return framed(render(content(topic, shown, start=start)), height)
