"""The command ``citectx view``: which methods a page shows, how they are set, and where it goes."""

import re
import sys
import webbrowser
from collections.abc import Sequence
from pathlib import Path

from tqdm import tqdm

from citectx import paths, profiles
from citectx.apps.viewer.content import Method, citance_number, content
from citectx.apps.viewer.page import render
from citectx.corpora.model import Corpus, Topic
from citectx.errors import MissingDataError, unknown
from citectx.experiments.contextualization import Prepared, Protocol, splitter_of
from citectx.experiments.tuning import applicable, tune, variants
from citectx.retrieval import RetrievalModel
from citectx.storage import check_output, write_atomically

QUICK = ("VSM", "BM25", "DFR", "LMD")
"""Methods that only count words: cross-validated in a few seconds on any of our corpora."""
SMALL = 1000
"""Up to so many candidate spans in all its articles, every method is quick on a corpus."""
MARK = b'<meta name="generator" content="citectx view">'
"""In the head of every page: tells our files from anybody's data."""
FOLDS = 10
"""As in the tables: the page shows what `citectx.papers.sigir2017.table1` measured."""


def choose(
    corpus: Corpus,
    topic: Topic,
    methods: Sequence[str] | None = None,
    *,
    tuned: bool = True,
    progress: bool = False,
) -> tuple[Prepared, list[Method], dict[str, str]]:
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
        and `QUICK` on a larger one; of these, those whose data is missing are left out.
    tuned : bool
        Whether to cross-validate. Otherwise, and where fewer than two topics have evidence, the
        first variant of each method's grid is taken.
    progress : bool
        Show a progress bar.

    Returns
    -------
    Prepared
        The topic.
    list of Method
        Those on the page.
    dict of str to str
        Methods that the page lacks, each with the reason.

    Raises
    ------
    ParameterError
        For an unknown method, one that does not apply to the corpus, or a topic of another corpus.
    MissingDataError
        If a method in `methods` needs data that is missing.
    """
    topics = [t.topic_id for t in corpus]
    if topic.topic_id not in topics:
        raise unknown(f"topic of {corpus.name}", topic.topic_id, topics)
    splitter = splitter_of(corpus)
    prepared = [Prepared(t, splitter, Protocol()) for t in corpus]
    this = prepared[topics.index(topic.topic_id)]
    names, left_out = _by_default(corpus, prepared) if methods is None else (methods, {})
    grids = {name: variants(name, corpus.name) for name in names}  # fails early for unknown ones
    judged = [p for p in prepared if p.citances] if tuned else []
    shown = []
    for name in tqdm(names, desc="methods", disable=not progress, leave=False):
        try:
            shown.append(_chosen(name, grids[name], judged, this))
        except MissingDataError as error:
            if methods is not None:
                raise
            left_out[name] = str(error)
    return this, shown, left_out


def _by_default(
    corpus: Corpus, prepared: Sequence[Prepared]
) -> tuple[Sequence[str], dict[str, str]]:
    """Return the methods that are quick on a corpus, and why the others are left out."""
    names = applicable(corpus.name)
    if sum(len(p.candidates) for p in prepared) <= SMALL:
        return names, {}
    why = "takes longer on a corpus of this size: name it with --methods"
    return QUICK, {name: why for name in names if name not in QUICK}


def _chosen(
    name: str, candidates: Sequence[RetrievalModel], judged: Sequence[Prepared], this: Prepared
) -> Method:
    if len(candidates) == 1 or len(judged) < 2:
        candidates[0].fit(this.index)  # fails if its data is missing
        first = f"the first of {len(candidates)} variants, not tuned"
        return Method(name, candidates[0], first if len(candidates) > 1 else "the only variant")
    tuned = tune(judged, candidates, FOLDS)
    how = f"cross-validated on other topics, best of {len(candidates)} variants"
    for topic, model in zip(judged, tuned.chosen, strict=True):
        if topic is this:
            return Method(name, model, how)
    return Method(name, tuned.best, how)  # nothing of this topic went into the means


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

    By default it goes to the results, those in the current folder where the package was installed
    from a wheel. An earlier page there is replaced; any other file only with `force`, and data
    never.

    Raises
    ------
    ParameterError
        For an unknown topic, corpus, profile, citance or method, and if `out` cannot be written to.
    MissingDataError
        If a corpus, or what a named method needs, is missing.
    """
    chosen = profiles.profile(profile)
    path = out or paths.results_dir() / chosen.name / "views" / f"{file_name(topic)}.html"
    ours = path.is_file() and MARK in path.read_bytes()[:4096]
    if (out or path.exists()) and not (ours and (force or not out)):
        check_output(path, force=force)
    found = find(topic, [corpus] if corpus else chosen.corpora)
    citance_number(found[topic], citance)
    progress = sys.stderr.isatty()
    prepared, shown, left_out = choose(found, found[topic], methods, tuned=tuned, progress=progress)
    data = content(prepared, shown, left_out, corpus=found.name, start=citance)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(path, render(data))
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
