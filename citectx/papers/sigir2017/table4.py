"""sigir2017 Table 4: do contexts make better summaries than citances alone (§3.2)?"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from citectx import parallel, profiles
from citectx.cache import Cache
from citectx.corpora.model import Corpus
from citectx.errors import DataError
from citectx.evaluation import rouge
from citectx.experiments.contextualization import DEFAULT, Prepared, Protocol, settings, splitter_of
from citectx.experiments.report import BASELINES, compare, part
from citectx.experiments.results import Result, fingerprint, timed
from citectx.experiments.tuning import Tuned, applicable, choose
from citectx.language.idf import open_idf
from citectx.language.text import SentenceSplitter
from citectx.papers.sigir2017.summaries import (
    NO_CONTEXT,
    RANDOM_CONTEXT,
    Material,
    abstract_of,
    gather,
    prepare_all,
)
from citectx.profiles import resources_of
from citectx.retrieval import MODELS
from citectx.storage import digest
from citectx.summarization import SUMMARIZERS, Budget, Lead, Random, summary, within
from citectx.summarization.contexts import Contexts, Found

SCORES = Cache("summaries", __name__)
NAME, SCISUMMNET = "sigir2017_table4", "sigir2017_scisummnet"
METHODS = tuple(name for name in MODELS if name not in ("DFR", "LMD"))
"""The paper's rows, and WE_Dom for corpora that are not biomedical."""

WORDS = 250
"""Ambiguity: sigir2017 does not give the length of its summaries; TAC 2014 asked for 250 words."""
SHORT = 100
"""Words of the second set of summaries. Ambiguity: where the citances of a topic have fewer than
250 words, No Context has nothing to choose, and what contexts add is also length. DUC asked for 100
words before it asked for 250. Where citances have fewer still, summaries are as long as they are,
so that every row has enough to choose from. Summaries of 100 words have no second set."""
SEEDS = 20
"""Random summaries that are averaged."""
CHUNK = 5
"""Topics that a process takes at a time."""
KINDS = {"RG-1": "rouge1", "RG-2": "rouge2"}
MAIN = tuple(f"{name} {kind}" for name in SUMMARIZERS for kind in KINDS)
"""The columns of the paper's table."""
POOL = "words to choose from"
SHORTER = tuple(f"{column} {SHORT} words" for column in MAIN)


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
    """Return the length of a profile's summaries; the citances of a teaching topic cannot fill 250
    words.
    """
    return SHORT if profile == "teaching" else WORDS


@timed
def run(
    corpora: Sequence[Corpus],
    methods: Sequence[str] = METHODS,
    protocol: Protocol = DEFAULT,
    *,
    words: int = WORDS,
    tuned_on: Mapping[str, Corpus] | None = None,
    contexts: Contexts | None = None,
    folds: int = 10,
    seed: int = 0,
    jobs: int = 1,
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
    contexts : mapping, optional
        Contexts from elsewhere, a row each, for all citances of the corpora that it names: see
        `citectx.summarization.contexts.Contexts`.
    folds, seed : int
    jobs : int
        Processes that topics are dealt out to; the results do not depend on it.
    progress : bool

    Returns
    -------
    Result
        Its scores have a row for each topic and method. The extra table ``tests`` compares with the
        best baseline, ``against_none`` with the summaries of the citances alone, ``against_random``
        with those of contexts drawn at random; ``pools`` says how many words each row chooses from,
        and in how many topics these are fewer than a summary has.

    Raises
    ------
    DataError
        If no topic of a corpus has both citances and a reference summary.
    """
    parts, chosen = [], dict[str, dict[str, Tuned]]()
    for corpus in corpora:
        source = (tuned_on or {}).get(corpus.name, corpus)
        rows, items = applicable(corpus.name, methods), _items(corpus, protocol)
        if source.name not in chosen:
            chosen[source.name] = choose(source, rows, protocol, folds)
        models, found = (
            {name: chosen[source.name][name] for name in rows},
            (contexts or {}).get(corpus.name, {}),
        )
        work = partial(
            _scored, partial(_gathered, corpus.name, splitter_of(corpus), models, found), words
        )
        label = f"{corpus.name}: summaries, {CHUNK} topics a step"
        key = _key(corpus, items, models, found, words)
        frames = parallel.run(
            partial(work, key),
            parallel.chunks(items, CHUNK),
            jobs=jobs,
            label=label,
            progress=progress,
        )
        shared = settings(protocol, folds=folds, tuned_on=source.name, words=words)
        for name, own in pd.concat(frames, ignore_index=True).groupby("corpus", sort=False):
            parts.append(
                _part(
                    replace(corpus, name=str(name)), own.drop(columns="corpus"), shared, words, seed
                )
            )
    result = Result.of(NAME, parts)
    sources = {corpus.name: fingerprint(corpus) for corpus in (tuned_on or {}).values()}
    return replace(result, data={**result.data, **sources})


@timed
def scisummnet(corpus: Corpus | None = None, tuned_on: Corpus | None = None, **how: Any) -> Result:
    """Make the table for all topics of ScisummNet, of which the table itself has a sample.

    LMD-LDA is left out: it would need 2,337 topic models, more work than all the rest.

    Parameters
    ----------
    corpus : Corpus, optional
        All of ScisummNet.
    tuned_on : Corpus, optional
        Where the parameters of the methods come from, as its citances have no annotated evidence:
        the training topics of CL-SciSumm.
    **how
        Further parameters of `run`, such as `jobs`. An interrupted run goes on where it stopped.
    """
    corpus, tuned_on = (
        corpus or profiles.load("scisummnet"),
        tuned_on or profiles.load("scisumm-train"),
    )
    methods = how.pop("methods", [name for name in METHODS if name != "LMD-LDA"])
    result = run([corpus], methods, tuned_on={corpus.name: tuned_on}, **how)
    return replace(result, experiment=SCISUMMNET, table=result.table.assign(experiment=SCISUMMNET))


def sample(corpus: Corpus, topics: int | None) -> Corpus:
    """Take so many topics of a corpus, evenly spaced; None, or more than there are, takes all.

    >>> from citectx.corpora import Document, Topic
    >>> corpus = Corpus("five", tuple(Topic(name, Document(name, "Cells."), ()) for name in "abcde"))
    >>> [topic.topic_id for topic in sample(corpus, 2)]
    ['a', 'c']
    """
    if topics is None or topics >= len(corpus):
        return corpus
    places = np.linspace(0, len(corpus), topics, endpoint=False).round().astype(int)
    return replace(corpus, topics=tuple(corpus.topics[i] for i in places))


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
    wanted = (reading or readings(corpus.name)[0]).references
    if not any(t.summaries for t in corpus):
        return {t.topic_id: {"abstract": abstract_of(t)} for t in corpus}
    return {
        t.topic_id: {
            name: text
            for name, text in t.summaries.items()
            if text.split() and (name in wanted if wanted else name != "abstract")
        }
        for t in corpus
    }


def materials(
    corpus: Corpus,
    models: Mapping[str, Tuned],
    protocol: Protocol,
    topics: Sequence[str] | None = None,
) -> list[Material]:
    """Collect the sentences of each topic under the main reading of its corpus: see
    `summaries.gather`.
    """
    items = [i for i in _items(corpus, protocol) if not topics or i[0].topic.topic_id in topics]
    found = map(partial(_gathered, corpus.name, splitter_of(corpus), models, {}), items)
    return [each[corpus.name] for each in found if corpus.name in each]


Item = tuple[Prepared, Mapping[Reading, Mapping[str, str]]]
"""A topic and, under each reading that applies to it, the summaries that others are compared
with."""


def _items(corpus: Corpus, protocol: Protocol) -> list[Item]:
    by_reading = {reading: references_of(corpus, reading) for reading in readings(corpus.name)}
    own = {
        topic.topic_id: {
            r: texts[topic.topic_id] for r, texts in by_reading.items() if texts[topic.topic_id]
        }
        for topic in corpus
    }
    prepared = prepare_all(
        corpus, [name for name, references in own.items() if references], protocol
    )
    if not prepared:
        raise DataError("no topic has both citances and a reference summary", file=corpus.name)
    return [(p, own[p.topic.topic_id]) for p in prepared]


def _gathered(
    name: str,
    splitter: SentenceSplitter,
    models: Mapping[str, Tuned],
    found: Mapping[str, Found],
    item: Item,
) -> dict[str, Material]:
    """Gather the sentences of a topic under each of its readings; models score once."""
    prepared, references = item
    scores = {
        row: prepared.scores(model.of(prepared.topic.topic_id)) for row, model in models.items()
    }
    collect = partial(gather, prepared, scores, splitter=splitter, found=found)
    rarity = open_idf(resources_of(name).domain).__getitem__
    return {
        reading.of(name): collect(references=texts, rarity=rarity, abstract=reading.abstract)
        for reading, texts in references.items()
    }


def _key(
    corpus: Corpus, items: Sequence[Item], models: Mapping[str, Tuned], *settled: object
) -> str:
    """Hash what scores depend on beside the topics; empty if a model does not say what it needs."""
    topics = [p.topic.topic_id for p, _ in items]
    described = {
        name: [model.of(topic).fingerprint() for topic in topics] for name, model in models.items()
    }
    if any(None in each for each in described.values()):
        return ""
    return digest(fingerprint(corpus), described, settled)


def _scored(
    gathered: Callable[[Item], dict[str, Material]], words: int, key: str, items: Sequence[Item]
) -> pd.DataFrame:
    """Score every method on a few topics; what an earlier run has scored is read from disk."""

    def compute() -> dict[str, Any]:
        rows = []
        for corpus, material in (pair for item in items for pair in gathered(item).items()):
            for name, which in material.rows.items():
                about = {
                    "corpus": corpus,
                    "topic": material.topic.topic_id,
                    "citance": "",
                    "method": name,
                }
                pool = {POOL: float(material.pool.words[which].sum())}
                rows.append({**about, **score_row(material, name, words), **pool})
        return {name: np.array([row[name] for row in rows]) for name in rows[0]}

    described = [(p.fingerprint, list(references.items())) for p, references in items]
    return pd.DataFrame(SCORES.get((key, described), compute) if key else compute())


def score_row(material: Material, method: str, words: int = WORDS) -> dict[str, float]:
    """Score all summarizers on what a method may use of a topic: metric by name, in percent."""
    rows = material.rows[method]
    pool, scores = material.pool.take(rows), dict[str, float]()
    references = list(material.references.values())
    as_long = round(np.mean([len(r.split()) for r in references]))
    short = min(SHORT, int(material.pool.words[material.rows[NO_CONTEXT]].sum()))
    sizes = {"": words, "recall": words, "pooled": words, "reference length": max(1, as_long)}
    sizes |= {f"{SHORT} words": max(1, short)} if words != SHORT else {}
    long = Budget(words=words)
    for name, summarizer in SUMMARIZERS.items():
        order = summarizer.choose(pool, Budget(words=max(sizes.values())))
        for ending, n in sizes.items():
            scores |= _rouge(name, summary(pool, order, Budget(words=n)), references, ending)
        chosen = rows[within(pool, order, long)].tolist()
        scores[f"{name} citances used"] = 100 * material.used(chosen)
        scores[f"{name} context words"] = 100 * material.from_contexts(chosen)
    scores |= _rouge("LEAD", summary(pool, Lead().choose(pool, long), long), references)
    drawn = [summary(pool, Random(seed).choose(pool, long), long) for seed in range(SEEDS)]
    random = pd.DataFrame([_rouge("Random", text, references) for text in drawn])
    return scores | {str(column): float(value) for column, value in random.mean().items()}


def _rouge(name: str, text: str, references: Sequence[str], ending: str = "") -> dict[str, float]:
    """Score a summary by ROUGE F of the best reference, or as the column's ending says."""
    found = rouge(
        text, references, tuple(KINDS.values()), multi="pooled" if ending == "pooled" else "best"
    )
    part = "recall" if ending == "recall" else "f1"
    return {
        f"{name} {kind} {ending}".strip(): 100 * getattr(found[key], part)
        for kind, key in KINDS.items()
    }


def _part(
    corpus: Corpus, scores: pd.DataFrame, shared: Mapping[str, Any], words: int, seed: int
) -> Result:
    """Report on a corpus under one reading."""
    method = scores["method"]
    pools = (
        scores[POOL]
        .groupby(method, sort=False)
        .agg(topics="size", fewest="min", median="median", most="max")
    )
    for n in dict.fromkeys((words, SHORT)):
        pools[f"below_{n}"] = (scores[POOL] < n).groupby(method, sort=False).sum()
    scores = scores.drop(columns=POOL)
    sizes = (MAIN, SHORTER) if words != SHORT else (MAIN,)
    extra = {
        name: pd.concat([compare(scores, seed, [base], columns) for columns in sizes])
        for name, base in {"against_none": NO_CONTEXT, "against_random": RANDOM_CONTEXT}.items()
    } | {"pools": pools.reset_index()}
    tests = compare(scores, seed, BASELINES, MAIN)
    return part(NAME, corpus, scores, seed, params=shared, over="topics", tests=tests, extra=extra)


def reference_lengths(corpora: Sequence[Corpus]) -> pd.DataFrame:
    """Count topics with reference summaries, these summaries, and their words: a row for each
    reading.
    """
    rows = {}
    for corpus in corpora:
        for reading in readings(corpus.name):
            found = [r for r in references_of(corpus, reading).values() if r]
            words = [len(text.split()) for r in found for text in r.values()]
            sizes = [len(found), len(words), min(words), int(np.median(words)), max(words)]
            rows[reading.of(corpus.name)] = sizes
    return pd.DataFrame(
        rows, index=["topics", "summaries", "fewest words", "median", "most words"]
    ).T


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
    wide = table.pivot_table(
        index=["corpus", "method"], columns="metric", values="value", sort=False
    )
    columns = {
        way: [f"{name} RG-2{ending}" for name in SUMMARIZERS] for way, ending in WAYS.items()
    }
    columns |= {name: [f"{name} RG-2"] for name in ("LEAD", "Random")}
    return pd.DataFrame(
        {way: wide[names].mean(axis=1) for way, names in columns.items() if {*names} <= {*wide}}
    )


def tally(tests: pd.DataFrame) -> pd.DataFrame:
    """Count, for each row, the columns in which its interval lies above or below what it is
    compared with.
    """
    tests = tests[tests["metric"].isin(MAIN)]
    counted = tests.assign(better=tests["ci_low"] > 0, worse=tests["ci_high"] < 0)
    how = {"difference": "mean", "better": "sum", "worse": "sum", "t_test_holm": "min"}
    counts = counted.groupby(["corpus", "method"], sort=False).agg(how)
    return counts.rename(columns={"t_test_holm": "smallest p (Holm)"})
