"""Which methods a page shows, and with which parameters."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from tqdm import tqdm

from citectx.corpora.model import Corpus, Topic
from citectx.errors import MissingDataError, unknown
from citectx.experiments.contextualization import Prepared, Protocol
from citectx.experiments.tuning import applicable, tune, variants
from citectx.language.text import SentenceSplitter
from citectx.retrieval import RetrievalModel

QUICK = ("VSM", "BM25", "DFR", "LMD")
"""Methods that count words and need nothing else: cross-validated in a few seconds on any of our corpora."""
SMALL = 1000
"""Up to so many candidate spans in all its articles, every method is quick on a corpus."""
FOLDS = 10
"""As in the tables: the page shows what `citectx.papers.sigir2017.table1` measured."""


@dataclass(frozen=True)
class Shown:
    """A method on the page.

    Parameters
    ----------
    name : str
    model : RetrievalModel
    how : str
        How its parameters came about, in words for the reader of the page.
    """

    name: str
    model: RetrievalModel
    how: str


@dataclass(frozen=True)
class Choice:
    """A topic ready to be shown.

    Parameters
    ----------
    prepared : Prepared
    shown : tuple of Shown
    left_out : mapping of str to str
        Methods that the page lacks, each with the reason.
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
        The other topics of it decide on the parameters, by the same cross-validation as in the tables.
    topic : Topic
        One of the corpus.
    methods : sequence of str, optional
        Names in the tables. By default all that apply to a corpus of at most `SMALL` candidates, and `QUICK`
        on a larger one; of these, those whose data is not on this machine are left out.
    protocol : Protocol, optional
    tuned : bool
        Whether to cross-validate; the first variant of each method's grid is taken otherwise, and where fewer
        than two topics have evidence.
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
    candidates = {name: variants(name, corpus.name) for name in names}  # an unknown name is told at once
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
        left_out |= dict.fromkeys(slower, "takes longer on a corpus of this size: name it with --methods")
    return Choice(this, tuple(shown), left_out)


def _chosen(name: str, candidates: Sequence[RetrievalModel], judged: Sequence[Prepared], this: Prepared) -> Shown:
    if len(candidates) == 1:
        candidates[0].fit(this.index)  # says so if its data is missing
        return Shown(name, candidates[0], "the only variant")
    if len(judged) < 2:
        candidates[0].fit(this.index)
        return Shown(name, candidates[0], f"the first of {len(candidates)} variants, not tuned")
    choice = tune(judged, candidates, FOLDS)
    how = f"cross-validated on other topics, best of {len(candidates)} variants"
    place = next((i for i, p in enumerate(judged) if p is this), None)
    if place is None:  # nothing of this topic went into the means
        return Shown(name, choice.best, how)
    return Shown(name, choice.chosen[place], how)


def given(models: Mapping[str, RetrievalModel]) -> Iterator[Shown]:
    """Show models as they are given."""
    for name, model in models.items():
        yield Shown(name, model, "as given")
