"""The command ``citectx view``: which methods a page shows, with which parameters, and where it
goes.
"""

import re
import sys
import webbrowser
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from tqdm import tqdm

from citectx import profiles
from citectx.apps.viewer.content import Shown, citance_number, content
from citectx.apps.viewer.page import render
from citectx.corpora.model import Corpus, Topic
from citectx.errors import MissingDataError, unknown
from citectx.experiments.contextualization import Prepared, Protocol
from citectx.experiments.tuning import applicable, tune, variants
from citectx.language.text import SentenceSplitter
from citectx.retrieval import RetrievalModel
from citectx.storage import check_output, write_atomically

QUICK = ("VSM", "BM25", "DFR", "LMD")
"""Methods that count words and need nothing else: cross-validated in a few seconds on any of our
corpora."""
SMALL = 1000
"""Up to so many candidate spans in all its articles, every method is quick on a corpus."""
MARK = b'<meta name="generator" content="citectx view">'
"""In the head of every page: a file that we wrote, and nobody's data."""
FOLDS = 10
"""As in the tables: the page shows what `citectx.papers.sigir2017.table1` measured."""


class Choice(NamedTuple):
    """A topic ready to be shown: its methods, and those that the page lacks, each with the
    reason.
    """

    prepared: Prepared
    shown: tuple[Shown, ...]
    left_out: Mapping[str, str]


def choose(
    corpus: Corpus,
    topic: Topic,
    methods: Sequence[str] | None = None,
    protocol: Protocol | None = None,
    *,
    tuned: bool = True,
    progress: bool = False,
) -> Choice:
    """Prepare a topic and choose the parameters of each method, never on the topic itself.

    Parameters
    ----------
    corpus : Corpus
        The other topics of it decide on the parameters, by the same cross-validation as in the
        tables.
    topic : Topic
        One of the corpus.
    methods : sequence of str, optional
        Names in the tables. By default all that apply to a corpus of at most `SMALL` candidates,
        and `QUICK` on a larger one; of these, those whose data is not on this machine are left out.
    protocol : Protocol, optional
    tuned : bool
        Whether to cross-validate; the first variant of each method's grid is taken otherwise, and
        where fewer than two topics have evidence.
    progress : bool
        Show a progress bar.

    Raises
    ------
    ParameterError
        For an unknown method, one that does not apply to the corpus, or a topic that is not of it.
    MissingDataError
        If a method in `methods` needs data that is not on this machine.
    """
    topics = [t.topic_id for t in corpus]
    if topic.topic_id not in topics:
        raise unknown(f"topic of {corpus.name}", topic.topic_id, topics)
    protocol = protocol or Protocol()
    splitter = SentenceSplitter.of(t.reference for t in corpus if t.reference.sentences is None)
    prepared = [Prepared(t, splitter, protocol) for t in corpus]
    small = sum(len(p.candidates) for p in prepared) <= SMALL
    names = methods if methods is not None else applicable(corpus.name) if small else QUICK
    candidates = {
        name: variants(name, corpus.name) for name in names
    }  # an unknown name is told at once
    this = prepared[topics.index(topic.topic_id)]
    judged = [p for p in prepared if p.citances] if tuned else []
    shown, left_out = [], {}
    for name in tqdm(candidates, desc="methods", disable=not progress, leave=False):
        try:
            shown.append(_chosen(name, candidates[name], judged, this))
        except MissingDataError as error:
            if methods is not None:
                raise
            left_out[name] = str(error)
    if methods is None and not small:
        slower = [name for name in applicable(corpus.name) if name not in QUICK]
        left_out |= dict.fromkeys(
            slower, "takes longer on a corpus of this size: name it with --methods"
        )
    return Choice(this, tuple(shown), left_out)


def _chosen(
    name: str, candidates: Sequence[RetrievalModel], judged: Sequence[Prepared], this: Prepared
) -> Shown:
    if len(candidates) == 1 or len(judged) < 2:
        candidates[0].fit(this.index)  # says so if its data is missing
        many = f"the first of {len(candidates)} variants, not tuned"
        return Shown(name, candidates[0], "the only variant" if len(candidates) == 1 else many)
    choice = tune(judged, candidates, FOLDS)
    how = f"cross-validated on other topics, best of {len(candidates)} variants"
    places = [
        i for i, p in enumerate(judged) if p is this
    ]  # else nothing of this topic went into the means
    return Shown(name, choice.chosen[places[0]] if places else choice.best, how)


def cmd_view(
    topic: str,
    profile: str = "teaching",
    corpus: str | None = None,
    methods: Sequence[str] | None = None,
    out: Path | None = None,
    *,
    citance: str | None = None,
    tuned: bool = True,
    opened: bool = True,
    force: bool = False,
) -> int:
    """Write the page of a topic, and open it in the browser.

    An earlier page in the results is replaced; any other file only with `force`, and data never.

    Raises
    ------
    ParameterError
        For an unknown topic, corpus, profile, citance or method, and if `out` cannot be written to.
    MissingDataError
        If a corpus, or what a named method needs, is not on this machine.
    """
    chosen = profiles.profile(profile)
    path = out or chosen.results / "views" / f"{file_name(topic)}.html"
    ours = path.is_file() and MARK in path.read_bytes()[:4096]
    if out or path.exists():
        inputs = [] if ours else profiles.data_folders()
        check_output(path, inputs=inputs, force=force or (ours and not out))
    found = find(topic, [corpus] if corpus else chosen.corpora)
    citance_number(found[topic], citance)
    choice = choose(found, found[topic], methods, tuned=tuned, progress=sys.stderr.isatty())
    data = content(choice.prepared, choice.shown, choice.left_out, corpus=found.name, start=citance)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(path, render(data).encode())
    print(f"{path}: {len(data['citances'])} citances, {len(data['methods'])} methods")
    if opened and not webbrowser.open(path.resolve().as_uri()):
        print("no browser was found here: open the file in one")
    return 0


def find(topic: str, corpora: Sequence[str]) -> Corpus:
    """Return the first corpus that has a topic.

    Raises
    ------
    ParameterError
        If none has; the message lists all their topics.
    """
    known: list[str] = []
    for name in corpora:
        corpus = profiles.load(name)
        topics = [t.topic_id for t in corpus]
        if topic in topics:
            return corpus
        known += topics
    raise unknown(f"topic of {' and '.join(corpora)}", topic, known)


def file_name(topic: str) -> str:
    """Make a file name of a topic's id.

    >>> file_name("D9001_TEACH"), file_name("../a b")
    ('D9001_TEACH', '_.._a_b')
    """
    name = re.sub(r"[^\w.-]", "_", topic)
    return f"_{name}" if name.startswith(".") else name
