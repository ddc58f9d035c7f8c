"""Do contexts of the learned model make better summaries, of sigir2017's Table 4 and of acl2008?"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial

import numpy as np
import pandas as pd
from tqdm import tqdm

from citectx import profiles
from citectx.apps.contexts.features import GROUPS, matrix, names_of
from citectx.apps.contexts.ltr import LTR, Examples, Settings, left_out, shares
from citectx.apps.scisumm import task1a
from citectx.corpora import sources
from citectx.corpora.model import Corpus
from citectx.errors import MissingDataError
from citectx.experiments.contextualization import Prepared, Protocol, splitter_of
from citectx.experiments.results import Result, timed
from citectx.experiments.tuning import folds_of
from citectx.language.spans import best_first
from citectx.papers.acl2008 import table1 as acl2008_table1
from citectx.papers.acl2008.impact_set import sets_of
from citectx.papers.sigir2017 import readings
from citectx.papers.sigir2017 import table4 as sigir2017_table4
from citectx.retrieval.dense import open_encoder
from citectx.summarization.contexts import Found
from citectx.types import Floats

SUMMARIES, IMPACT = "beyond_summaries", "beyond_impact"
ROW = "LTR"
DEPTH = 20
"""Contexts of each citance that are handed on; tables use the first of them that they may."""
TOPICS = 100
"""Of ScisummNet, evenly spaced, as in the open results of Table 4."""


def found_by_ltr(corpus: Corpus, folds: int = 10) -> Found:
    """Find contexts for all citances by models that learned from topics of other folds.

    Settings are the default ones: nothing is chosen here. Topics of a corpus without annotated
    evidence get the weights of the package, which learned from none of them: ScisummNet has no
    article of CL-SciSumm's.
    """
    splitter = splitter_of(corpus)
    topics = [Prepared(topic, splitter, Protocol(), only_annotated=False) for topic in corpus]
    found = {}
    for topic, scores in zip(topics, _held_out(topics, folds), strict=True):
        spans = [topic.candidates.spans(best_first(row, DEPTH)) for row in scores]
        ids = [citance.citance_id for citance in topic.citances]
        found[topic.topic.topic_id] = dict(zip(ids, spans, strict=True))
    return found


def _held_out(topics: Sequence[Prepared], folds: int) -> list[Floats]:
    """Score each topic with what the other folds teach; unannotated ones with the last fold's."""
    annotated = [topic for topic in topics if any(c.gold for c in topic.citances)]
    if len(annotated) < 2:
        package = LTR.load()
        return [topic.scores(package) for topic in topics]
    names = names_of(*GROUPS)
    values = [matrix(topic.index, topic.queries, names) for topic in annotated]
    examples = []
    for topic, own in zip(annotated, values, strict=True):
        known = [bool(citance.gold) for citance in topic.citances]
        examples.append(Examples(own[known].astype(np.float32), shares(topic)[known]))
    parts = folds_of(annotated, folds)
    models = left_out(examples, names, parts, [Settings()] * len(annotated))
    scored = {
        id(topic): model.of_values(own)
        for topic, model, own in zip(annotated, models, values, strict=True)
    }
    last = models[parts[-1][0]]
    return [scored[id(t)] if id(t) in scored else t.scores(last) for t in topics]


@timed
def summaries(profile: str, seed: int = 0) -> Result:
    """Summarize with the contexts of LTR beside those of BM25, of chance, and without any.

    As `citectx.papers.sigir2017.table4.run`; ScisummNet, which has no annotated evidence, takes
    parameters from the corpus ``scisumm-train``.
    """
    corpora = profiles.profile(profile).load()
    tuned_on: dict[str, Corpus] = {}
    if profile == "open":
        by_name = {corpus.name: corpus for corpus in corpora}
        tuned_on["scisummnet"] = by_name["scisumm-train"]
        corpora.append(sigir2017_table4.sample(profiles.load("scisummnet"), TOPICS))
    result = sigir2017_table4.run(
        corpora,
        ["BM25"],
        words=sigir2017_table4.words_of(profile),
        tuned_on=tuned_on,
        contexts={corpus.name: {ROW: found_by_ltr(corpus)} for corpus in corpora},
        seed=seed,
        progress=False,
    )
    return _renamed(result, SUMMARIES)


@timed
def impact(profile: str, seed: int = 0) -> Result:
    """Summarize with votes of LTR's contexts, beside acl2008's model and BM25.

    As `citectx.papers.acl2008.table1.run`.
    """
    sets = sets_of(profile)
    contexts = {each.name: {ROW: found_by_ltr(each.corpus)} for each in sets}
    methods = [*acl2008_table1.METHODS, "BM25"]
    result = acl2008_table1.run(sets, methods, contexts=contexts, seed=seed)
    return _renamed(result, IMPACT)


def _renamed(result: Result, name: str) -> Result:
    return replace(result, experiment=name, table=result.table.assign(experiment=name))


def tables(profile: str, seed: int = 0) -> Mapping[str, Callable[[], Result]]:
    """List the tables of a profile; all but the first exist for open data only."""
    found: dict[str, Callable[[], Result]] = {SUMMARIES: partial(summaries, profile, seed)}
    if profile == "open":
        found[IMPACT] = partial(impact, profile, seed)
        found[task1a.NAME] = partial(_task1a, seed)
        found[readings.DENSE] = partial(_encoder, profile, seed)
    return found


def _task1a(seed: int) -> Result:
    return task1a.run(sources.folder("scisumm-corpus"), seed=seed)


def _encoder(profile: str, seed: int) -> Result:
    open_encoder()  # fails before anything is computed
    return readings.dense(profiles.profile(profile).load(), seed=seed, progress=False)


def no_encoder() -> str:
    """Return why there is no sentence encoder; "" if there is one."""
    try:
        open_encoder()
    except MissingDataError as error:
        return str(error)
    return ""


def run(
    profile: str, *, seed: int = 0, progress: bool = True
) -> tuple[dict[str, Result], pd.DataFrame]:
    """Make and write the tables of a profile; those whose data is missing are left out.

    Returns
    -------
    dict of str to Result
        Those that could be made.
    DataFrame
        A row for each table: its rows, or why there are none.
    """
    made: dict[str, Result] = {}
    said = {}
    wanted = tables(profile, seed).items()
    for name, make in tqdm(wanted, desc="tables", disable=not progress, unit="table"):
        try:
            made[name] = make()
        except MissingDataError as error:
            said[name] = f"left out: {error}"
        else:
            made[name].write(profiles.profile(profile).output)
            said[name] = f"{len(made[name].table)} rows"
    return made, pd.DataFrame({"outcome": said})
