"""sigir2017 Table 1: how well the retrieved contexts match the annotators' (§3.1)."""

from collections.abc import Sequence

from citectx.corpora.model import Corpus
from citectx.experiments.contextualization import Protocol, prepare, settings
from citectx.experiments.report import compare, part
from citectx.experiments.results import Result, timed
from citectx.experiments.tuning import applicable, chosen, curves, tuned_scores, variants
from citectx.retrieval import MODELS, model

NAME = "sigir2017_table1"


@timed
def run(
    corpora: Sequence[Corpus],
    methods: Sequence[str] = tuple(MODELS),
    protocol: Protocol | None = None,
    *,
    folds: int = 10,
    seed: int = 0,
    progress: bool = True,
) -> Result:
    """Retrieve contexts with every method and measure them in twelve ways.

    Source: sigir2017 §3.1, Table 1. Values are means over citances, in percent, with 95 % intervals from a
    bootstrap over topics (citances of one article are not independent). ``p_value`` is the paper's test: a
    two-tailed paired t-test over citances against the best baseline of the column; empty for that baseline.

    Ambiguity: sigir2017 does not say whether scores are averaged over citances or over topics; we take
    citances. It does not say what its parameters were tuned for; we take character F.

    Parameters
    ----------
    corpora : sequence of Corpus
    methods : sequence of str
        Names from `citectx.retrieval.MODELS`.
    protocol : Protocol, optional
    folds : int
        Folds of the cross-validation over topics.
    seed : int
        For bootstrap and permutations.
    progress : bool
        Show a progress bar.

    Returns
    -------
    Result
        With the extra tables ``tests`` (each method against the best baseline: difference, interval, t-test,
        permutation test, both Holm-corrected over the corpus's table) and ``tuning`` (each variant's mean
        character F over all topics).

    Raises
    ------
    ParameterError
        For an unknown method, or if there are too few topics to tune on.
    """
    protocol = protocol or Protocol()
    for name in methods:
        model(name)  # an unknown name is an error before anything runs
    shared = settings(protocol, folds=folds, tuned_for="c-F")
    parts = []
    for corpus in corpora:
        rows = {name: variants(name, corpus.name) for name in applicable(corpus.name, methods)}
        label = f"{NAME}: {corpus.name}"
        tuned, scores = tuned_scores(prepare(corpus, protocol), rows, folds, label=label, progress=progress)
        parts.append(
            part(
                NAME,
                corpus,
                scores,
                seed,
                params=shared,
                by_method=chosen(tuned),
                tests=compare(scores, seed),
                extra={"tuning": curves(tuned)},
            )
        )
    return Result.of(NAME, parts)
