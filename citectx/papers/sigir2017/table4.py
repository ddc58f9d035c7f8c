"""sigir2017 Table 4: do contexts make better summaries than citances alone (§3.2)?"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from tqdm import tqdm

from citectx.corpora.model import Corpus
from citectx.errors import DataError
from citectx.evaluation import rouge
from citectx.evaluation.rouge import Multi
from citectx.experiments.contextualization import DEFAULT, Prepared, Protocol, splitter_of
from citectx.experiments.report import compare, part
from citectx.experiments.results import Result, fingerprint
from citectx.experiments.tuning import Tuned, applicable, choose
from citectx.language.idf import open_idf
from citectx.language.text import SentenceSplitter
from citectx.papers.sigir2017.summaries import (
    NO_CONTEXT,
    Material,
    abstract_of,
    gather,
    prepare_all,
)
from citectx.profiles import resources_of
from citectx.retrieval import MODELS
from citectx.summarization import SUMMARIZERS, Budget, summary, within

NAME = "sigir2017_table4"
METHODS = tuple(name for name in MODELS if name not in ("DFR", "LMD"))
"""The paper's rows, and WE_Dom for corpora that are not biomedical."""

WORDS = 250
"""Ambiguity: sigir2017 does not give the length of its summaries; TAC 2014 asked for 250 words."""
SHORT = 100
"""Words of the second set of summaries.

Ambiguity: where the citances of a topic have fewer than 250 words, No Context has nothing to
choose, and what contexts add is also length. DUC asked for 100 words before it asked for 250. Where
citances have fewer still, summaries are as long as they are, so that every row has enough to choose
from. Summaries of 100 words have no second set.
"""
SEEDS = 20
"""Random summaries that are averaged."""
KINDS = {"RG-1": "rouge1", "RG-2": "rouge2"}
MAIN = tuple(f"{name} {kind}" for name in SUMMARIZERS for kind in KINDS)
"""The columns of the paper's table."""


class Reading(NamedTuple):
    """What summaries are compared with, and where contexts may come from.

    Parameters
    ----------
    label : str
        Added to the name of the corpus in the table; empty for the main reading.
    references : tuple of str
        Names of the summaries to compare with; empty for all but the abstract.
    abstract : bool
        Whether contexts may come from the abstract of the article.
    """

    label: str = ""
    references: tuple[str, ...] = ()
    abstract: bool = True

    def of(self, corpus: str) -> str:
        """Name a corpus under this reading.

        >>> Reading("abstract among candidates").of("scisummnet"), Reading().of("scisummnet")
        ('scisummnet (abstract among candidates)', 'scisummnet')
        """
        return f"{corpus} ({self.label})" if self.label else corpus


READINGS = {
    "scisumm-train": (
        Reading(references=("human",)),
        Reading("cited sentences as reference", references=("community",)),
    ),
    "scisummnet": (Reading(abstract=False), Reading("abstract among candidates")),
}
"""Readings of a corpus, the main one first; other corpora have one.

What we saw: CL-SciSumm calls its second summary that of the community. It consists mostly of
sentences that annotators marked as cited (78 % of its runs of eight words are in the article), the
very gold standard of retrieval: it rewards finding the gold spans, not summarizing. Half of the
runs of eight words in ScisummNet's human summaries are in the article's abstract (7 % in
CL-SciSumm): who may take sentences of the abstract copies the reference."""


def words_of(profile: str) -> int:
    """Return the length of a profile's summaries, in words.

    The citances of a teaching topic cannot fill the paper's 250.
    """
    return SHORT if profile == "teaching" else WORDS


def run(
    corpora: Sequence[Corpus],
    methods: Sequence[str] = METHODS,
    protocol: Protocol = DEFAULT,
    *,
    words: int = WORDS,
    tuned_on: Mapping[str, Corpus] | None = None,
    folds: int = 10,
    seed: int = 0,
    progress: bool = True,
) -> Result:
    """Summarize the citances of each topic, alone and with the contexts of every method.

    Source: sigir2017 §3.2, Table 4. Values are means over topics, in percent, with 95 % intervals
    from a bootstrap over topics. ``p_value`` is a two-tailed paired t-test over topics against the
    best baseline.

    Beside the paper's columns (KLSUM RG-1 …) are the same with a suffix: ``recall``, ``pooled``
    (over references, as the ROUGE script does), ``reference length`` (as long as the references
    are) and ``100 words`` (see `SHORT`); ``citances used`` is the share of the topic's citances
    that the summary quotes, ``context words`` that of its words that come from contexts. LEAD and
    Random are controls.

    A corpus may be read in several ways (`READINGS`), which are corpora of their own in the table.

    Ambiguity: the paper reports one number for each ROUGE-N without saying whether it is P, R or F.
    Ours is F of the reference that fits best.

    Parameters
    ----------
    corpora : sequence of Corpus
        Topics with summaries are compared with those of people; in a corpus without summaries the
        abstract is the reference, and contexts then come from the rest of the article.
    methods : sequence of str
        Names from `citectx.retrieval.MODELS`; the rows `NO_CONTEXT` and `RANDOM_CONTEXT` are always
        there.
    protocol : Protocol, optional
    words : int
        Length of the summaries.
    tuned_on : mapping of corpus name to Corpus, optional
        Where the parameters of a method come from if not from cross-validation on the corpus
        itself: needed for a corpus without annotated evidence.
    folds, seed : int
    progress : bool

    Returns
    -------
    Result
        Its scores have a row for each topic and method. The extra table ``tests`` compares with the
        best baseline.

    Raises
    ------
    DataError
        If no topic of a corpus has both citances and a reference summary.
    """
    parts = []
    for corpus in corpora:
        items, splitter = topics_of(corpus, protocol), splitter_of(corpus)
        source = (tuned_on or {}).get(corpus.name, corpus)
        models = choose(source, applicable(corpus.name, methods), protocol, folds)
        params = protocol.params() | {"folds": folds, "tuned_on": source.name, "words": words}
        rows = []
        for item in tqdm(items, f"{corpus.name}: summaries", disable=not progress):
            for name, material in gathered(corpus.name, splitter, models, item):
                about = {"corpus": name, "topic": material.topic.topic_id, "citance": ""}
                for method in material.rows:
                    rows.append(about | {"method": method} | score_row(material, method, words))
        for reading, scores in pd.DataFrame(rows).groupby("corpus", sort=False):
            read = replace(corpus, name=str(reading))
            own = scores.drop(columns="corpus")
            how: dict[str, Any] = {"tests": compare(own, seed, metrics=MAIN), "params": params}
            found = part(NAME, read, own, seed, over="topics", **how)
            data = {source.name: fingerprint(source), **found.data}
            parts.append(replace(found, data=data))
    return Result.of(NAME, parts)


def sample(corpus: Corpus, topics: int | None) -> Corpus:
    """Take so many topics of a corpus, evenly spaced; None, or more than there are, takes all.

    >>> from citectx.corpora import Document, Topic
    >>> topics = [Topic(name, Document(name, "Cells."), ()) for name in "abcde"]
    >>> corpus = Corpus("five", tuple(topics))
    >>> [topic.topic_id for topic in sample(corpus, 2)]
    ['a', 'c']
    """
    if topics is None or topics >= len(corpus):
        return corpus
    places = np.linspace(0, len(corpus), topics, endpoint=False)
    chosen = tuple(corpus.topics[round(place)] for place in places)
    return replace(corpus, topics=chosen)


def readings(corpus: str) -> tuple[Reading, ...]:
    """Return the ways in which the table reads a corpus, the main one first."""
    return READINGS.get(corpus, (Reading(),))


def references_of(corpus: Corpus, reading: Reading | None = None) -> dict[str, dict[str, str]]:
    """Return the summaries that each topic's are compared with: those by people, else the abstract.

    What we saw: of the 40 training topics of CL-SciSumm 39 have a community summary, 37 a human
    one, 39 an abstract in a file; the 779 of ScisummNet have a human summary and an abstract each.
    Where people wrote summaries, the abstract is no reference. Topics without any, in a corpus that
    has them, are left out.

    Parameters
    ----------
    corpus : Corpus
    reading : Reading, optional
        The main one by default.
    """
    if not any(t.summaries for t in corpus):
        return {t.topic_id: {"abstract": abstract_of(t)} for t in corpus}
    wanted = (reading or readings(corpus.name)[0]).references
    references = {}
    for topic in corpus:
        texts = references[topic.topic_id] = dict[str, str]()
        for name, text in topic.summaries.items():
            if text.split() and (name in wanted if wanted else name != "abstract"):
                texts[name] = text
    return references


Item = tuple[Prepared, dict[Reading, dict[str, str]]]
"""A topic and, under each reading of it, the summaries that others are compared with."""


def topics_of(corpus: Corpus, protocol: Protocol) -> list[Item]:
    """Prepare the topics that have citances and reference summaries."""
    by_topic: dict[str, dict[Reading, dict[str, str]]] = {}
    for reading in readings(corpus.name):
        for topic, texts in references_of(corpus, reading).items():
            if texts:
                by_topic.setdefault(topic, {})[reading] = texts
    prepared = prepare_all(corpus, list(by_topic), protocol)
    if not prepared:
        raise DataError("no topic has both citances and a reference summary", file=corpus.name)
    return [(p, by_topic[p.topic.topic_id]) for p in prepared]


def materials(
    corpus: Corpus,
    models: Mapping[str, Tuned],
    protocol: Protocol,
    topics: Sequence[str] | None = None,
) -> list[Material]:
    """Collect the sentences of each topic (`summaries.gather`) under its corpus's main reading."""
    found, splitter = [], splitter_of(corpus)
    for item in topics_of(corpus, protocol):
        if not topics or item[0].topic.topic_id in topics:
            by_reading = gathered(corpus.name, splitter, models, item)
            found += [own for name, own in by_reading if name == corpus.name]
    return found


def gathered(
    corpus: str, splitter: SentenceSplitter, models: Mapping[str, Tuned], item: Item
) -> Iterator[tuple[str, Material]]:
    """Gather the sentences of a topic under each of its readings; models score once."""
    prepared, references = item
    topic = prepared.topic.topic_id
    rarity = open_idf(resources_of(corpus).domain).__getitem__
    scores = {}
    for row, tuned in models.items():
        scores[row] = prepared.scores(tuned.of(topic))
    for reading, texts in references.items():
        given = prepared, scores, texts, splitter, rarity
        yield reading.of(corpus), gather(*given, abstract=reading.abstract)


def score_row(material: Material, method: str, words: int = WORDS) -> dict[str, Any]:
    """Score all summarizers on what a method may use of a topic: metric by name, in percent."""
    rows = material.rows[method]
    references = [*material.references.values()]
    pool = material.pool.take(rows)
    scores = dict[str, float]()
    sizes, long = sizes_of(material, words), Budget(words=words)
    most = Budget(words=max(sizes.values()))
    for name, summarizer in SUMMARIZERS.items():
        order = summarizer.choose(pool, most)
        for ending, n in sizes.items():
            text = summary(pool, order, Budget(words=n))
            scores |= rouge_of(name, text, references, ending)
        chosen = rows[within(pool, order, long)].tolist()
        scores[f"{name} citances used"] = 100 * material.used(chosen)
        scores[f"{name} context words"] = 100 * material.from_contexts(chosen)
    scores |= rouge_of("LEAD", summary(pool, range(len(pool)), long), references)
    random = list[dict[str, float]]()
    for seed in range(SEEDS):
        order = np.random.default_rng(seed).permutation(len(pool)).tolist()
        text = summary(pool, order, long)
        random.append(rouge_of("Random", text, references))
    return {**scores, **pd.DataFrame(random).mean()}


def sizes_of(material: Material, words: int) -> dict[str, int]:
    """Return the lengths of the summaries of a topic by the endings of their columns."""
    lengths = [len(text.split()) for text in material.references.values()]
    sizes = {"": words, "recall": words, "pooled": words}
    sizes["reference length"] = max(1, round(np.mean(lengths)))
    if words != SHORT:
        citances = material.rows[NO_CONTEXT]
        said = int(material.pool.words[citances].sum())
        sizes[f"{SHORT} words"] = max(1, min(SHORT, said))
    return sizes


def rouge_of(name: str, text: str, references: Sequence[str], ending: str = "") -> dict[str, float]:
    """Score a summary by ROUGE F of the best reference, or as the column's ending says."""
    multi: Multi = "pooled" if ending == "pooled" else "best"
    found = rouge(text, references, [*KINDS.values()], multi=multi)
    scores = {}
    for kind, key in KINDS.items():
        value = found[key].recall if ending == "recall" else found[key].f1
        column = f"{name} {kind} {ending}".strip()
        scores[column] = 100 * value
    return scores


def reference_lengths(corpora: Sequence[Corpus]) -> pd.DataFrame:
    """Count topics with reference summaries, the summaries and their words, a row a reading."""
    rows = {}
    for corpus in corpora:
        for reading in readings(corpus.name):
            found = [texts for texts in references_of(corpus, reading).values() if texts]
            words = [len(text.split()) for texts in found for text in texts.values()]
            sizes = min(words), int(np.median(words)), max(words)
            rows[reading.of(corpus.name)] = len(found), len(words), *sizes
    columns = ["topics", "summaries", "fewest words", "median", "most words"]
    return pd.DataFrame(rows, index=columns).T


WAYS = {
    "F, best reference": "",
    "recall": " recall",
    "F, pooled": " pooled",
    "F, reference length": " reference length",
    "F, 100 words": " 100 words",
}


def by_scoring(table: pd.DataFrame) -> pd.DataFrame:
    """Average the summarizers' ROUGE-2 under each way of scoring (`WAYS`), beside LEAD and Random.

    Returns
    -------
    DataFrame
        Indexed by corpus and method.
    """
    rows = ["corpus", "method"]
    wide = table.pivot_table(index=rows, columns="metric", values="value", sort=False)
    found = {}
    for way, ending in WAYS.items():
        names = [f"{name} RG-2{ending}" for name in SUMMARIZERS]
        if {*names} <= {*wide}:
            found[way] = wide[names].mean(axis=1)
    controls = wide[["LEAD RG-2", "Random RG-2"]]
    return pd.DataFrame(found).join(controls.set_axis(["LEAD", "Random"], axis=1))
