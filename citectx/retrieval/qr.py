"""Query reformulation in front of the vector space model: the row "QR" of sigir2017 Table 1."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, Self

from citectx.profiles import CONCEPTS
from citectx.retrieval.index import Query
from citectx.retrieval.reformulation import NEEDS_CONCEPTS, REFORMULATIONS, Reformulation
from citectx.retrieval.vsm import VSM
from citectx.types import Floats


@dataclass
class QR(VSM):
    """The vector space model, asked a reformulated query.

    Source: naacl2015 §2.2-2.3; the row "QR" of sigir2017 Table 1.

    Ambiguity: sigir2017 does not say which of naacl2015's reformulations its row has. Cross-validation
    chooses one, as it does for any other parameter, together with VSM's tf. Nor does it say whether the row
    kept naacl2015's index (one to five sentences, merged): here spans are those of the protocol, as in all
    rows.

    Parameters
    ----------
    reformulation : str
        A key of `citectx.retrieval.reformulation.REFORMULATIONS`.
    concepts : tuple of str
        Vocabularies for `citectx.ontology.open_vocabulary`; empty if there are none for the field.
    domain : str
        Field whose texts say how rare a word is, one of `citectx.language.idf.DOMAINS`.

    Raises
    ------
    ParameterError
        If `tf` or `reformulation` is unknown.
    """

    reformulation: str = "baseline"
    concepts: tuple[str, ...] = CONCEPTS
    domain: str = "biomedical"

    grid: ClassVar = {"reformulation": tuple(REFORMULATIONS), **VSM.grid}

    def __post_init__(self) -> None:
        super().__post_init__()
        Reformulation(self.reformulation)  # an unknown name is an error at once

    @classmethod
    def variants(cls, **given: Sequence[Any]) -> Iterator[Self]:
        """Build the grid as any model does, but for what needs an ontology where there is none."""
        built = super().variants(**given)
        return (model for model in built if model.concepts or model.reformulation not in NEEDS_CONCEPTS)

    def reformulate(self, analyzer: Callable[[str], Iterable[str]]) -> Reformulation:
        """Return the reformulation for an index with this analyzer."""
        return Reformulation(self.reformulation, analyzer, self.concepts, self.domain)

    def score(self, queries: Sequence[Query]) -> Floats:
        """Cosine of each reformulated query with all spans, shape (queries, spans)."""
        reformulate = self.reformulate(self.index.analyzer)
        asked = []
        for query in queries:
            key = (reformulate, query.text, tuple(query.weights.items()))
            asked.append(self.index.remember(key, partial(reformulate, query)))
        return super().score(asked)
