"""Choosing a method's parameters for CL-SciSumm's Task 1a on the training topics alone.

What else was tried for LTR, by cross-validation over the training topics: Citation-Integrity as
further training data (worse at the first of six settings, then stopped), the scores of the
article's other citances (no gain), gradient boosting alone (worse) and its mean with LTR (F .199
for .195: not worth a second model).
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from citectx.apps.contexts.features import GROUPS, matrix, names_of
from citectx.apps.contexts.ltr import LTR, Examples, Settings
from citectx.apps.scisumm.informed import FieldKnowledge, Informed
from citectx.corpora.model import Corpus, Topic
from citectx.errors import DataError
from citectx.experiments.contextualization import Prepared, Protocol
from citectx.experiments.tuning import folds_of, variants
from citectx.language.spans import best_first
from citectx.language.text import Analyzer, SentenceSplitter, StopWords
from citectx.retrieval import RetrievalModel
from citectx.types import Floats, Ints, Span

INFORMED = {"+rarity": (0.0,), "+field": (0.5, 0.75, 1.0, 1.5)}
"""Endings of methods that know the field, with the weights of place to choose among.

With ``+rarity`` a method learns how rare words are, but nothing from annotations; see
`citectx.apps.scisumm.informed`.
"""

LEARNED = "LTR"
"""The learned contextualizer (`citectx.apps.contexts`)."""
GRID = tuple(Settings(C) for C in (0.0003, 0.001, 0.003, 0.01, 0.03, 0.3))
NAMES = tuple(names_of(*GROUPS))

METHODS = (
    *(f"{name}{end}" for end in ("", *INFORMED) for name in ("VSM", "BM25", "DFR", "LMD")),
    LEARNED,
)
"""Methods without embeddings; others work by their names, too, where their vectors are."""

MOST = 5
"""Sentences returned at most: the task allows no more."""
STOP_WORDS: tuple[StopWords, ...] = ("english", "function")
ANALYZERS = tuple(Analyzer(stem, stop) for stem, stop in product((False, True), STOP_WORDS))


@dataclass(frozen=True)
class Rule:
    """How many sentences are returned: the first, and others up to k that are good enough.

    Parameters
    ----------
    k : int
    probability : float
        Least probability of the sentences after the first; scores are log-odds then.
    """

    k: int
    probability: float = 0.0

    def kept(self, falling: Floats) -> NDArray[np.bool_]:
        """Mark which are returned, from scores that fall along the last axis.

        >>> Rule(2, 0.5).kept(np.array([[3.0, 1.0, 0.5], [-1.0, -2.0, -3.0]])).tolist()
        [[True, True, False], [True, False, False]]
        """
        place = np.arange(falling.shape[-1])
        least = np.log(self.probability / (1 - self.probability)) if self.probability else -np.inf
        return np.asarray((place == 0) | ((place < self.k) & (falling >= least)))


FIXED = tuple(Rule(k) for k in range(1, MOST + 1))
LIKELY = tuple(Rule(MOST, p) for p in (0.04, 0.06, 0.08, 0.1, 0.12, 0.15))


class SentenceTopic(Prepared):
    """A topic of the task: each sentence is a candidate, and evidence is whole sentences.

    Parameters
    ----------
    topic : Topic
    analyzer : Analyzer
    only_annotated : bool
        Leave out citances without evidence.
    """

    def __init__(self, topic: Topic, analyzer: Analyzer, *, only_annotated: bool = True) -> None:
        protocol = Protocol(**asdict(analyzer))
        super().__init__(topic, SentenceSplitter(), protocol, only_annotated=only_annotated)

    @cached_property
    def wanted(self) -> list[set[Span]]:
        """Sentences that each citance is about; a title, which is no candidate, may be one."""
        return [{span for spans in c.gold.values() for span in spans} for c in self.citances]

    @cached_property
    def right(self) -> NDArray[np.bool_]:
        """Which candidates each citance is about, shape (citances, sentences)."""
        sentences = self.candidates.sentences.spans
        rows = [[span in wanted for span in sentences] for wanted in self.wanted]
        return np.array(rows, dtype=np.bool_).reshape(-1, len(sentences))

    @cached_property
    def examples(self) -> Examples:
        """What `LTR` learns from: features, and which sentences are exactly right."""
        values = matrix(self.index, self.queries, NAMES).astype(np.float32)
        return Examples(values, self.right.astype(np.float64))

    def scores(self, model: RetrievalModel) -> Floats:
        """Score all sentences for all citances, shape (citances, sentences)."""
        if isinstance(model, LTR) and tuple(model.weights) == NAMES:
            return model.of_values(self.examples.values)  # computed once for all settings
        return model.fit(self.index).score(self.queries)

    def counts(self, scores: Floats, rules: Sequence[Rule]) -> Ints:
        """Count the right and all returned sentences of all citances, shape (rules, 2)."""
        best = best_first(scores, MOST)
        right = np.take_along_axis(self.right, best, axis=1)
        falling = np.take_along_axis(scores, best, axis=1).astype(np.float64)
        kept = [rule.kept(falling) for rule in rules]
        return np.array([[(right & each).sum(), each.sum()] for each in kept], dtype=np.int64)


@dataclass(frozen=True)
class Entry:
    """A method with its parameters, ready to take part in the task.

    Parameters
    ----------
    method : str
    analyzer : Analyzer
    model : RetrievalModel
    rule : Rule
        How many sentences are returned for each citance.
    training : float
        F of exact sentences on the training topics, counts summed over citances. What is learned of
        a field comes from other topics than those scored, but the parameters are those with the
        highest such F, so it flatters a little.
    topics : int
        Training topics that this was chosen on.
    """

    method: str
    analyzer: Analyzer
    model: RetrievalModel
    rule: Rule
    training: float
    topics: int

    def params(self) -> dict[str, Any]:
        """Return everything that was chosen."""
        analysed = {} if isinstance(self.model, LTR) else asdict(self.analyzer)
        return {**asdict(self.rule), **analysed, **self.model.params()}

    def sentences(self, topic: Topic) -> list[list[str]]:
        """Return the ids of the sentences returned for each citance, in reading order."""
        ready = SentenceTopic(topic, self.analyzer, only_annotated=False)
        ids = {span: sid for sid, span in topic.reference.sentence_spans.items()}
        names = [ids[span] for span in ready.candidates.sentences.spans]
        found = []
        for row in ready.scores(self.model):
            best = best_first(row, MOST)
            kept = best[self.rule.kept(row[best])]
            found.append([names[i] for i in sorted(kept)])
        return found


Ready = Mapping[Analyzer, Sequence[SentenceTopic]]
"""The same topics by each analyzer to choose among."""


def made_ready(corpus: Corpus, analyzers: Iterable[Analyzer] = ANALYZERS) -> Ready:
    """Prepare the training topics once for all methods.

    Parameters
    ----------
    corpus : Corpus
        Topics and citances without evidence are left out.
    analyzers : iterable of Analyzer

    Raises
    ------
    DataError
        If fewer than two topics have evidence.
    """
    annotated = [topic for topic in corpus if any(c.gold for c in topic.citances)]
    if len(annotated) < 2:
        raise DataError("tuning needs two topics with evidence", file=corpus.name)
    return {each: [SentenceTopic(topic, each) for topic in annotated] for each in analyzers}


def tune(ready: Ready, method: str, folds: int = 10) -> Entry:
    """Choose what has the highest F of exact sentences; among equals the first.

    Parameters
    ----------
    ready : mapping of Analyzer to sequence of SentenceTopic
    method : str
    folds : int
        What a method learns for the topics of a fold comes from the other folds.

    Raises
    ------
    ParameterError
        For an unknown method.
    MissingDataError
        If its vectors are not on this machine.
    """
    learned = method == LEARNED
    rules = (*FIXED, *LIKELY) if learned else FIXED
    analyzers = [*ready][:1] if learned else [*ready]  # features have analyses of their own
    scores = np.array([_scores(method, ready[each], rules, folds) for each in analyzers])
    a, variant, rule = np.unravel_index(np.argmax(scores), scores.shape)
    topics = ready[analyzers[a]]
    model = _models(method, topics)[variant]
    return Entry(method, analyzers[a], model, rules[rule], float(scores.max()), len(topics))


def _scores(
    method: str, topics: Sequence[SentenceTopic], rules: Sequence[Rule], folds: int
) -> Floats:
    """Score all variants with all rules, shape (variants, rules)."""
    counts = []  # by topic and variant
    for fold in folds_of(topics, folds):
        models = _models(method, [t for i, t in enumerate(topics) if i not in fold])
        for i in fold:
            topic = topics[i]
            counts.append([topic.counts(topic.scores(model), rules) for model in models])
    right, returned = np.moveaxis(np.sum(counts, axis=0), -1, 0)
    wanted = sum(len(spans) for topic in topics for spans in topic.wanted)
    f1 = 2 * right / (returned + wanted)
    # Rounded, so that the last bit does not decide between variants that tie.
    return np.asarray(f1.round(9), dtype=np.float64)


def _models(method: str, topics: Sequence[SentenceTopic]) -> list[RetrievalModel]:
    """Build the variants of a method, with what some topics teach it."""
    if method == LEARNED:
        return [*LTR.learn([t.examples for t in topics], NAMES, GRID)]
    bases, positions = bases_of(method)
    if not positions:
        return bases
    knowledge = FieldKnowledge.learn([t.index for t in topics], [t.right for t in topics])
    return [Informed(base, knowledge, position) for base in bases for position in positions]


def bases_of(method: str) -> tuple[list[RetrievalModel], tuple[float, ...]]:
    """Split a method's name: the variants of its model, and weights of place if it knows the field.

    >>> len(bases_of("LMD+field")[0]), bases_of("LMD+rarity")[1], bases_of("LMD")[1]
    (9, (0.0,), ())

    Raises
    ------
    ParameterError
        For an unknown method.
    """
    if method == LEARNED:
        return [], ()
    endings = (known for known in INFORMED if method.endswith(known))
    ending = next(endings, "")
    return variants(method.removesuffix(ending), "scisumm-train"), INFORMED.get(ending, ())
