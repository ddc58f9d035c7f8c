"""What an engine loses and saves beside a search of the whole collection.

Run as ``python -m benchmarks.engine``: exports the 2,995 articles of Citation-Integrity to tantivy,
asks for their 1,335 citations, and writes ``benchmarks/engine.csv``, from which ``make readme``
makes the table of ``docs/scaling.md``. How candidates are found was chosen on *other* queries,
those of the citations that the 1,335 leave out. Trained weights are those of each class's first
fold in ``results/open``. Times are processor times of one thread.
"""

import shutil
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, Self

import numpy as np
import pandas as pd

from citectx.apps import parts
from citectx.apps.engine import NUMBER, Engine, to_tantivy
from citectx.corpora import citation_integrity
from citectx.corpora.coresc import CLASSES
from citectx.papers.lrec2016.training import RecommendationTask, Setup, load
from citectx.paths import ROOT
from citectx.recommendation.collection import Citation, Collection
from citectx.recommendation.lucene import FieldedIndex, best
from citectx.storage import write_atomically

RESULTS = ROOT / "benchmarks" / "engine.csv"
FIGURE4 = ROOT / "results" / "open" / "07_coresc_fold_weights" / "lrec2016_figure4.csv"
TOP = 10
SAMPLED = 10
"""One query in so many is scored again: scores must be ours, so the best ten are the same if all
of them are candidates."""
By = Literal["text", "fields"]
SETTINGS: list[tuple[By, int]] = [("text", 50), ("text", 200), ("text", 1000), ("fields", 200)]

Weights = dict[str, dict[str, float]]
Row = dict[str, str]
Hits = list[tuple[int, float]]
"""Numbers of articles, and scores."""


@dataclass(frozen=True)
class Labelled:
    """A collection in memory, as a source of articles."""

    all: Collection

    def __len__(self) -> int:
        return len(self.all)

    def only(self, first: int, last: int) -> Self:
        """Cut a run of articles out."""
        return replace(self, all=self.collection(first, last))

    def stamp(self, first: int, last: int) -> str:
        """Nothing changes."""
        return f"{first}-{last}"

    def collection(self, first: int, last: int) -> Collection:
        """Cut a run of articles out, with their terms numbered as before."""
        sentences = slice(*np.searchsorted(self.all.sentence_doc, [first, last]))
        ends = np.append(0, self.all.sentence_end)
        begin, end = ends[sentences.start], ends[sentences.stop]
        return Collection(
            self.all.classes,
            self.all.doc_ids[first:last],
            self.all.vocabulary,
            self.all.tokens[begin:end],
            self.all.sentence_end[sentences] - begin,
            self.all.sentence_doc[sentences] - first,
            self.all.sentence_class[sentences],
        )


def ours(
    task: RecommendationTask, asked: Sequence[Citation], weights: Weights
) -> tuple[list[Hits], float]:
    """Search the whole collection; return the hits, and milliseconds a query."""
    index, number = FieldedIndex.of(task.collection), task.collection.term_number
    index.scores([0])  # what is computed once

    def search(one: Citation) -> Hits:
        terms = [number.get(term, -1) for term in one.terms]
        scores = index.scores(terms, weights.get(one.kind))
        return [(int(i), float(scores[i])) for i in best(scores, TOP)]

    return timed(search, asked)


def timed(search: Callable[[Citation], Any], asked: Sequence[Citation]) -> tuple[list[Any], float]:
    begin = time.process_time()
    found = [search(one) for one in asked]
    return found, 1000 * (time.process_time() - begin) / len(asked)


def trained() -> Weights:
    """Weights of Figure 4, by the class of the citing sentence."""
    rows = pd.read_csv(FIGURE4)
    rows = rows[rows["method"].str.endswith(" fold 1") & rows["metric"].isin(CLASSES)]
    kinds = rows["method"].str.removesuffix(" fold 1")
    return {
        str(kind): dict(zip(own["metric"], own["value"], strict=True))
        for kind, own in rows.groupby(kinds)
    }


def queries(task: RecommendationTask) -> Iterator[tuple[str, list[Citation], Weights]]:
    """Yield sets of citations, by name, and the weights of their classes."""
    selected = Setup().selected(task)
    scored = [one for own in selected.values() for one in own]
    known = {one.terms for one in scored}
    others = {one.terms: one for one in task.citations if one.terms not in known}
    yield f"{len(others):,} others", [*others.values()], {}
    yield f"{len(scored):,}", scored, {}
    yield f"{len(scored):,}, trained weights", scored, trained()


def rows(task: RecommendationTask, engine: Engine, sizes: Row) -> Iterator[Row]:
    """Compare both searches for each set of queries."""
    for name, asked, weights in queries(task):
        whole, own = ours(task, asked, weights)
        for by, k in SETTINGS:
            found, alone = candidates(engine, asked, weights, by, k)
            pairs = [*zip(whole, found, strict=True)]
            shares = [sum(i in own for i, _ in ten) / max(len(ten), 1) for ten, own in pairs]
            again, both = scored_again(engine, asked[::SAMPLED], weights, by, k)
            numbers = task.collection.doc_number
            for ten, hits, share in zip(whole[::SAMPLED], again, shares[::SAMPLED], strict=True):
                same = ten == [(numbers[doc_id], score) for doc_id, score in hits]
                assert same == (share == 1), "scores or order differ"
            yield {
                "queries": name,
                "candidates": f"{k:,} by {by}",
                "same ten, %": f"{100 * np.mean([share == 1 for share in shares]):.1f}",
                "of the ten, %": f"{100 * np.mean(shares):.1f}",
                "tantivy alone, queries/s": f"{1000 / alone:,.0f}",
                "and scored again, queries/s": f"{1000 / both:,.0f}",
                "our whole search, queries/s": f"{1000 / own:,.0f}",
                **sizes,
            }


def candidates(
    engine: Engine, asked: Sequence[Citation], weights: Weights, by: By, k: int
) -> tuple[list[set[int]], float]:
    """Ask tantivy; return the numbers of the articles, and milliseconds a query."""

    def find(one: Citation) -> list[Any]:
        return engine.candidates(one.terms, k, by=by, weights=weights.get(one.kind))

    found, took = timed(find, asked)
    return [{*engine.searcher.fast_field_values(NUMBER, own)} for own in found], took


def scored_again(
    engine: Engine, asked: Sequence[Citation], weights: Weights, by: By, k: int
) -> tuple[list[list[tuple[str, float]]], float]:
    """Ask tantivy, and score what it finds; return the hits, and milliseconds a query."""

    def search(one: Citation) -> list[tuple[str, float]]:
        return engine.search(one.terms, weights.get(one.kind), TOP, candidates=k, by=by)

    return timed(search, asked)


def size(folder: Path, articles: int) -> str:
    """Kilobytes an article."""
    files = [path.stat().st_size for path in folder.rglob("*") if path.is_file()]
    return f"{sum(files) / articles / 1000:.1f}"


def main() -> None:
    task = load(citation_integrity.FULL_TEXTS)
    folder = Path(tempfile.mkdtemp(prefix="citectx-engine-"))
    source, number = Labelled(task.collection), len(task.collection)
    begin = time.process_time()
    to_tantivy(source, folder / "engine")
    print(f"export: {1000 * (time.process_time() - begin) / number:.1f} ms an article", flush=True)
    parts.index(source, folder / "parts", 2)
    sizes = {
        "tantivy's index, kB an article": size(folder / "engine", number),
        "our index, kB an article": size(folder / "parts", number),
    }
    found = []
    for row in rows(task, Engine.open(folder / "engine"), sizes):
        print(row, flush=True)
        found.append(row)
    shutil.rmtree(folder)
    write_atomically(RESULTS, pd.DataFrame(found).to_csv(index=False))


if __name__ == "__main__":
    main()
