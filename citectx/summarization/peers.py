"""The summarizers of sumy as variants: what sigir2017 compared may have been these.

An author of sigir2017 reported a bug in sumy's LexRank in 2015, so the library was at hand. Its versions
differ from the papers they are named after: LexRank has no damping and stops early; LSA keeps all dimensions,
with which a sentence's length is that of its own column; SumBasic lacks the step of the most probable word;
KLSum sums over the covered words only.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any, ClassVar

from citectx.errors import MissingDataError
from citectx.summarization.base import Pool, Summarizer

CLASSES = {
    "KLSUM": ("kl", "KLSummarizer"),
    "LexRank": ("lex_rank", "LexRankSummarizer"),
    "LSA": ("lsa", "LsaSummarizer"),
    "SumBasic": ("sum_basic", "SumBasicSummarizer"),
}
"""Where sumy keeps each, by its name in sigir2017 Table 4."""


@dataclass(frozen=True)
class Sumy(Summarizer):
    """One of sumy's summarizers, on the words that our analysis leaves.

    Parameters
    ----------
    name : str
        A key of `CLASSES`.

    Raises
    ------
    ParameterError
        For another name.
    MissingDataError
        When it is used and sumy is not installed.
    """

    name: str

    allowed: ClassVar = {"name": CLASSES}

    def order(self, pool: Pool) -> Iterator[int]:
        """Yield sentences by sumy's ratings, equals in the order of the text."""
        yield from self._ranking(pool)

    def _ranking(self, pool: Pool) -> list[int]:
        module, cls = CLASSES[self.name]
        try:
            dom = import_module("sumy.models.dom")
            summarize = getattr(import_module(f"sumy.summarizers.{module}"), cls)()
        except ModuleNotFoundError as error:
            raise MissingDataError(f"sumy is not installed ({error.name}): pip install sumy") from error
        words = {text: self._words(pool, i) for i, text in enumerate(pool.texts)}

        class Tokenizer:
            def to_words(self, text: str) -> Sequence[str]:
                return words[text]

        sentences = [dom.Sentence(text, Tokenizer()) for text in pool.texts]
        order: list[int] = []

        def everything(infos: list[Any]) -> list[Any]:
            order.extend(info.order for info in infos)
            return infos

        if any(words.values()):  # sumy divides by the number of words
            summarize(dom.ObjectDocumentModel([dom.Paragraph(sentences)]), everything)
        return order or list(range(len(pool)))

    @staticmethod
    def _words(pool: Pool, i: int) -> tuple[str, ...]:
        row = slice(*pool.counts.indptr[i : i + 2])
        entries = zip(pool.counts.indices[row], pool.counts.data[row], strict=True)
        return tuple(pool.terms[t] for t, n in entries for _ in range(int(n)))
