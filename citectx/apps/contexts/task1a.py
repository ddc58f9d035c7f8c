"""Take part in CL-SciSumm's Task 1a: which sentences of an ACL paper is a citance about?

`citectx.evaluation.scisumm` computes the official score of a run. Of the 20 test topics four have
public gold annotations; the best published run had a micro F of .145 in 2018 and of .172 in 2020,
on all of them.
"""

import html
from collections import Counter
from pathlib import Path

import pandas as pd

from citectx.corpora.model import Document
from citectx.corpora.scisumm import TEST, read_test
from citectx.errors import DataError
from citectx.experiments.contextualization import Prepared, Protocol
from citectx.language.spans import best_first
from citectx.language.text import SentenceSplitter
from citectx.retrieval import RetrievalModel
from citectx.storage import write_atomically


def write_run(
    folder: Path, model: RetrievalModel, out: Path, k: int = 3, facet: str = "Method_Citation"
) -> None:
    """Write ``<TOPIC>.csv`` for each test topic: its blind file with the empty columns filled.

    Parameters
    ----------
    folder : Path
        The unpacked release, as ``sources.folder("scisumm-corpus")`` names it.
    model : RetrievalModel
        Ranks the sentences of the reference paper.
    out : Path
        For the files.
    k : int
        Sentences per citance.
    facet : str
        Of every row, because a run must name one. This is the most frequent one of the training
        topics; Task 1b is not attempted.

    Raises
    ------
    DataError
        If a blind file does not have a row for each citance of its topic.
    """
    out.mkdir(parents=True, exist_ok=True)
    for topic in read_test(folder):
        name, article = topic.topic_id, topic.reference
        blind = folder / "data" / TEST / name / "annotation" / f"{name}.csv"
        rows = pd.read_csv(blind, dtype=str, encoding="utf-8-sig", keep_default_na=False)
        if len(rows) != len(topic.citances):
            expected = f"expected a row for each of {len(topic.citances)} citances"
            raise DataError(f"{expected}, found {len(rows)}", file=blind)
        ready = Prepared(topic, SentenceSplitter(), Protocol(), only_annotated=False)
        ids = {span: sid for sid, span in article.sentence_spans.items()}
        tags = tags_of(article)
        offsets, texts = [], []
        for order in best_first(ready.scores(model), k):
            sids = [ids[span] for span in ready.candidates.spans(sorted(order))]
            offsets.append(",".join(f"'{sid}'" for sid in sids))
            texts.append("\n".join(tags[sid] for sid in sids))
        filled = {"Reference Offset": offsets, "Reference Text": texts, "Discourse Facet": facet}
        run = rows.iloc[:, :8].assign(**filled).to_csv(index=False, lineterminator="\n")
        write_atomically(out / f"{name}.csv", run)


def tags_of(article: Document) -> dict[str, str]:
    """Write each sentence as the release does, with its number in the paper and in its section."""
    numbers: Counter[int] = Counter()
    tags = {}
    for sid, span in article.sentence_spans.items():
        section = next(b.section for b in article.blocks if b.start <= span.start < b.end)
        numbers[section] += 1
        text = html.escape(span.of(article.text), quote=False)
        tags[sid] = f'<S sid="{sid}" ssid="{numbers[section]}">{text}</S>'
    return tags
