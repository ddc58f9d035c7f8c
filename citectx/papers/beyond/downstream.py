"""Do contexts of the learned model make better summaries? Table 4 of sigir2017; acl2008's impact summaries.

python -m citectx.papers.beyond.downstream
"""

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from citectx import profiles
from citectx.corpora import sources
from citectx.corpora.model import Corpus
from citectx.errors import CitectxError, MissingDataError
from citectx.experiments.contextualization import Prepared, Protocol, splitter_of
from citectx.experiments.results import Result, timed
from citectx.experiments.tuning import folds_of
from citectx.language.spans import best_first
from citectx.papers.acl2008 import corpora as acl2008_corpora
from citectx.papers.acl2008 import table1 as acl2008_table1
from citectx.papers.acl2008.impact_set import ImpactSet
from citectx.papers.beyond.features import GROUPS, matrix, names_of
from citectx.papers.beyond.ltr import LTR, Examples, Settings, shares
from citectx.papers.beyond.nested import left_out
from citectx.papers.scisumm import task1a
from citectx.papers.sigir2017 import table4 as sigir2017_table4
from citectx.papers.sigir2017 import variations
from citectx.retrieval.dense import open_encoder
from citectx.summarization.contexts import Found
from citectx.types import Floats, Span

NAMES = ("beyond_summaries", "beyond_impact")
SUMMARIES, IMPACT = NAMES
ROW = "LTR"
DEPTH = 20
"""Contexts of each citance that are handed on; tables use the first of them that they may."""
TOPICS = 100
"""Of ScisummNet, evenly spaced, as in the open results of Table 4."""


def found_by_ltr(corpus: Corpus, folds: int = 10) -> Found:
    """Find contexts for all citances, each topic by a model that learned from the other folds' topics.

    Settings are the default ones: nothing is chosen here. Topics of a corpus without annotated evidence have
    the weights of the package, which learned from none of them: ScisummNet has no article of CL-SciSumm's.
    """
    splitter, names, ltr = splitter_of(corpus), names_of(*GROUPS), LTR.load()
    topics = [Prepared(topic, splitter, Protocol(), only_annotated=False) for topic in corpus]
    annotated = [topic for topic in topics if any(c.gold for c in topic.citances)]
    scores: dict[str, Floats] = {}
    if len(annotated) > 1:
        values = [matrix(topic.index, topic.queries, names) for topic in annotated]
        examples = []
        for topic, own in zip(annotated, values, strict=True):
            known = [bool(c.gold) for c in topic.citances]
            examples.append(Examples(own[known].astype(np.float32), shares(topic)[known]))
        parts, usual = folds_of(annotated, folds), [Settings()] * len(annotated)
        models = left_out(examples, names, parts, usual)
        ltr = models[parts[-1][0]]
        for topic, own, model in zip(annotated, values, models, strict=True):
            scores[topic.topic.topic_id] = model.of_values(own)
    return {
        name: _spans(topic, scores[name] if name in scores else topic.scores(ltr))
        for name, topic in ((topic.topic.topic_id, topic) for topic in topics)
    }


def _spans(topic: Prepared, scores: Floats) -> dict[str, list[Span]]:
    ranked = zip(topic.citances, scores, strict=True)
    return {c.citance_id: topic.candidates.spans(best_first(row, DEPTH)) for c, row in ranked}


@timed
def summaries(
    corpora: Sequence[Corpus], words: int, *, folds: int = 10, seed: int = 0, progress: bool = True
) -> Result:
    """Summarize with the contexts of LTR beside those of BM25, of chance, and without any.

    As `citectx.papers.sigir2017.table4.run`; ScisummNet, which has no annotated evidence, takes parameters
    from the corpus ``scisumm-train``.

    Parameters
    ----------
    corpora : sequence of Corpus
    words : int
        Length of the summaries.
    folds, seed : int
    progress : bool
    """
    by_name = {corpus.name: corpus for corpus in corpora}
    tuned_on = {"scisummnet": by_name["scisumm-train"]} if "scisummnet" in by_name else {}
    contexts = {corpus.name: {ROW: found_by_ltr(corpus, folds)} for corpus in corpora}
    result = sigir2017_table4.run(
        corpora, ["BM25"], words=words, tuned_on=tuned_on, contexts=contexts, folds=folds, seed=seed, progress=progress
    )
    return _renamed(result, SUMMARIES)


@timed
def impact(sets: Sequence[ImpactSet], *, folds: int = 10, seed: int = 0, progress: bool = True) -> Result:
    """Make impact summaries of the sentences that LTR's contexts vote for, beside acl2008's model and BM25.

    As `citectx.papers.acl2008.table1.run`.

    Parameters
    ----------
    sets : sequence of ImpactSet
    folds, seed : int
    progress : bool
    """
    contexts = {each.name: {ROW: found_by_ltr(each.corpus, folds)} for each in sets}
    methods = [*acl2008_table1.METHODS, "BM25"]
    result = acl2008_table1.run(sets, methods, contexts=contexts, folds=folds, seed=seed, progress=progress)
    return _renamed(result, IMPACT)


def _renamed(result: Result, name: str) -> Result:
    return replace(result, experiment=name, table=result.table.assign(experiment=name))


def tables(profile: str, seed: int = 0, progress: bool = True) -> Mapping[str, Callable[[], Result]]:
    """List the tables of a profile that need downloads or an extra; all but the first on open data only."""
    chosen = profiles.profile(profile)
    how: dict[str, Any] = {"seed": seed, "progress": progress}

    def of_summaries() -> Result:
        corpora = chosen.load()
        if profile == "open":
            corpora.append(sigir2017_table4.sample(profiles.load("scisummnet"), TOPICS))
        return summaries(corpora, sigir2017_table4.words_of(profile), **how)

    def of_encoder() -> Result:
        open_encoder()  # before anything is computed
        return variations.dense(chosen.load(), **how)

    found: dict[str, Callable[[], Result]] = {SUMMARIES: of_summaries}
    if profile == "open":
        found[IMPACT] = lambda: impact(acl2008_corpora.sets_of(profile), **how)
        found[task1a.NAME] = lambda: task1a.run(sources.folder("scisumm-corpus"), seed=seed)
        found[variations.DENSE] = of_encoder
    return found


def no_encoder() -> str:
    """Return why there is no sentence encoder, empty if there is one."""
    try:
        open_encoder()
    except MissingDataError as error:
        return str(error)
    return ""


def run(profile: str, *, seed: int = 0, progress: bool = True) -> tuple[dict[str, Result], pd.DataFrame]:
    """Make and write the tables of a profile; one whose data are not at hand is left out.

    Returns
    -------
    dict of str to Result
        Those that could be made.
    DataFrame
        A row for each table: its rows, or why there are none.
    """
    made: dict[str, Result] = {}
    said = {}
    for name, make in tables(profile, seed, progress).items():
        try:
            made[name] = make()
        except MissingDataError as error:
            said[name] = f"left out: {error}"
        else:
            made[name].write(profiles.profile(profile).results)
            said[name] = f"{len(made[name].table)} rows"
    return made, pd.DataFrame({"outcome": said})


if __name__ == "__main__":
    try:
        for name in (SUMMARIES, IMPACT):
            print(tables("open")[name]().write(profiles.profile("open").results))
    except CitectxError as error:
        sys.exit(f"citectx: {error}")
