"""Do contexts of the learned model make better summaries? Table 4 of sigir2017; acl2008's impact
summaries.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

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
from citectx.papers.sigir2017 import table4 as sigir2017_table4
from citectx.papers.sigir2017 import variations
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
    """Find contexts for all citances, each topic by a model that learned from the other folds'
    topics.

    Settings are the default ones: nothing is chosen here. Topics of a corpus without annotated
    evidence have the weights of the package, which learned from none of them: ScisummNet has no
    article of CL-SciSumm's.
    """
    splitter, names = splitter_of(corpus), names_of(*GROUPS)
    topics = [Prepared(topic, splitter, Protocol(), only_annotated=False) for topic in corpus]
    annotated = [i for i, topic in enumerate(topics) if any(c.gold for c in topic.citances)]
    models, values = dict.fromkeys(range(len(topics)), LTR.load()), dict[int, Floats]()
    if len(annotated) > 1:
        examples = []
        for i in annotated:
            values[i] = matrix(topics[i].index, topics[i].queries, names)
            known = [bool(c.gold) for c in topics[i].citances]
            examples.append(Examples(values[i][known].astype(np.float32), shares(topics[i])[known]))
        parts = folds_of(annotated, folds)
        learned = left_out(examples, names, parts, [Settings()] * len(annotated))
        models = dict.fromkeys(models, learned[parts[-1][0]]) | dict(
            zip(annotated, learned, strict=True)
        )
    found = {}
    for i, topic in enumerate(topics):
        scores = models[i].of_values(values[i]) if i in values else topic.scores(models[i])
        spans = [topic.candidates.spans(best_first(row, DEPTH)) for row in scores]
        found[topic.topic.topic_id] = dict(
            zip((c.citance_id for c in topic.citances), spans, strict=True)
        )
    return found


@timed
def summaries(profile: str, seed: int = 0) -> Result:
    """Summarize with the contexts of LTR beside those of BM25, of chance, and without any.

    As `citectx.papers.sigir2017.table4.run`; ScisummNet, which has no annotated evidence, takes
    parameters from the corpus ``scisumm-train``.
    """
    corpora = profiles.profile(profile).load()
    tuned_on: dict[str, Corpus] = {}
    if profile == "open":
        tuned_on["scisummnet"] = next(
            corpus for corpus in corpora if corpus.name == "scisumm-train"
        )
        corpora.append(sigir2017_table4.sample(profiles.load("scisummnet"), TOPICS))
    contexts = {corpus.name: {ROW: found_by_ltr(corpus)} for corpus in corpora}
    more: dict[str, Any] = {
        "tuned_on": tuned_on,
        "contexts": contexts,
        "seed": seed,
        "progress": False,
    }
    result = sigir2017_table4.run(
        corpora, ["BM25"], words=sigir2017_table4.words_of(profile), **more
    )
    return _renamed(result, SUMMARIES)


@timed
def impact(profile: str, seed: int = 0) -> Result:
    """Make impact summaries of the sentences that LTR's contexts vote for, beside acl2008's model
    and BM25.

    As `citectx.papers.acl2008.table1.run`.
    """
    sets = sets_of(profile)
    contexts = {each.name: {ROW: found_by_ltr(each.corpus)} for each in sets}
    result = acl2008_table1.run(
        sets, [*acl2008_table1.METHODS, "BM25"], contexts=contexts, seed=seed
    )
    return _renamed(result, IMPACT)


def _renamed(result: Result, name: str) -> Result:
    return replace(result, experiment=name, table=result.table.assign(experiment=name))


def tables(profile: str, seed: int = 0) -> Mapping[str, Callable[[], Result]]:
    """List the tables of a profile that need downloads or an extra; all but the first on open data
    only.
    """

    def of_encoder() -> Result:
        open_encoder()  # before anything is computed
        return variations.dense(profiles.profile(profile).load(), seed=seed, progress=False)

    found: dict[str, Callable[[], Result]] = {SUMMARIES: lambda: summaries(profile, seed)}
    if profile == "open":
        found[IMPACT] = lambda: impact(profile, seed)
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


def run(
    profile: str, *, seed: int = 0, progress: bool = True
) -> tuple[dict[str, Result], pd.DataFrame]:
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
    for name, make in tqdm(
        tables(profile, seed).items(), desc="tables", disable=not progress, unit="table"
    ):
        try:
            made[name] = make()
        except MissingDataError as error:
            said[name] = f"left out: {error}"
        else:
            made[name].write(profiles.profile(profile).output)
            said[name] = f"{len(made[name].table)} rows"
    return made, pd.DataFrame({"outcome": said})
