"""acl2008 §5.3, last paragraph: how much the parameters of the impact model matter."""

from collections.abc import Sequence

from citectx.experiments.results import Result
from citectx.papers.acl2008.impact_set import ImpactSet
from citectx.papers.acl2008.methods import params_of, report, score_models
from citectx.summarization.impact import ImpactModel

NAME = "acl2008_sensitivity"
DEFAULT = "as published"
GRIDS: dict[str, tuple[float, ...]] = {
    "mu_s": (1, 10, 50, 100, 500, 1000, 2000, 5000, 10_000, 50_000),
    "mu_c": (0, 500, 1000, 2000, 5000, 10_000, 20_000, 50_000, 100_000),
    "delta": tuple(round(0.1 * i, 1) for i in range(11)),
    "alpha": (1, 1.5, 2, 3, 4, 6, 10),
}
"""Values of each parameter, the others as published. μ_c belongs to Eq. 2, δ to Eq. 3."""


def vary(name: str) -> list[ImpactModel]:
    """Return a model for each value of a parameter.

    >>> [model.alpha for model in vary("alpha")][:3]
    [1.0, 1.5, 2.0]
    """
    # only Eq. 2 has a μ_c
    base = ImpactModel(interpolation="dirichlet" if name == "mu_c" else "constant").params()
    return [ImpactModel(**base | {name: float(value)}) for value in GRIDS[name]]


def models() -> dict[str, ImpactModel]:
    """All settings by name.

    >>> [name for name in models() if name.startswith("delta=0.4")]
    ['delta=0.4']
    """
    settings = {DEFAULT: ImpactModel()}
    for name in GRIDS:
        for model in vary(name):
            settings[f"{name}={getattr(model, name):g}"] = model
    return settings


def run(sets: Sequence[ImpactSet], *, seed: int = 0) -> Result:
    """Vary one parameter at a time.

    Source: acl2008 §5.3, last paragraph, which has ranges but no numbers. ``p_value`` is a paired
    t-test over papers against the published setting. Ambiguity: the paper does not say how long the
    summaries were; ours have 10 and 15 sentences, or 250 words.
    """
    parts = []
    rows = models()
    params = params_of(rows)
    for papers in sets:
        scores = score_models(papers, rows)
        scores = scores.loc[:, ~scores.columns.str.contains(" F @")]
        parts.append(report(NAME, papers, scores, params, [DEFAULT], seed))
    return Result.of(NAME, parts)
