"""The catalogue: every corpus that has a name, who reads it, and the resources of its domain."""

import logging
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from citectx.corpora import (
    Corpus,
    citation_integrity,
    citation_integrity_31,
    citation_integrity_2024,
    csv_corpus,
    scisumm,
    scisummnet,
    sources,
    tac,
)
from citectx.corpora.citation_integrity_files import ANNOTATIONS, CLAIMS
from citectx.corpora.text_files import need_folder
from citectx.errors import MissingDataError, ParameterError, look_up, unknown
from citectx.language.text import SentenceSplitter
from citectx.paths import DATA

_PAGE = "docs/own-corpus-and-methods.md"
_FORMATS = (
    f"{csv_corpus.CITANCES}, {csv_corpus.SPANS} and {csv_corpus.TEXTS}/, or folders "
    f"TOPIC/Annotation and TOPIC/Documents_Text; {_PAGE} says more"
)


def read_own() -> Corpus:
    """Read the corpus in the folder that ``CITECTX_CORPUS`` names."""
    folder = os.environ.get("CITECTX_CORPUS")
    if not folder:
        raise MissingDataError(f"set CITECTX_CORPUS to the folder of your corpus; {_PAGE} says how")
    return read_folder(Path(folder))


def read_folder(folder: Path) -> Corpus:
    """Read the corpus "own": CSV files if there is ``citances.csv``, else TAC's format."""
    folder = folder.expanduser().absolute()
    need_folder(folder, "a corpus", f"Expected there: {_FORMATS}.")
    if (folder / csv_corpus.CITANCES).is_file():
        return csv_corpus.read(folder)
    if not tac.topic_folders(folder):
        raise MissingDataError(f"{folder} holds no corpus; expected there: {_FORMATS}")
    return tac.read(folder, "own")


_read_31 = partial(
    citation_integrity_31.read, train=lambda articles: SentenceSplitter.of(articles).split
)
LOADERS: dict[str, tuple[Callable[..., Corpus], *tuple[str, ...]]] = {
    "teaching": (partial(tac.read, DATA / "teaching", "teaching"),),
    "citation-integrity": (citation_integrity.read, ANNOTATIONS),
    "citation-integrity-31": (_read_31, ANNOTATIONS, CLAIMS),
    "citation-integrity-31-published": (partial(_read_31, strict=False), ANNOTATIONS, CLAIMS),
    "citation-integrity-2024": (citation_integrity_2024.read, CLAIMS, f"{CLAIMS}-articles"),
    "scisumm-train": (scisumm.read_training, "scisumm-corpus"),
    "scisumm-gold": (scisumm.read_gold, "scisumm-corpus"),
    "scisumm-test": (scisumm.read_test, "scisumm-corpus"),
    "scisummnet": (scisummnet.read, "scisumm-corpus"),
    "scisummnet-unseen": (scisummnet.read_unseen, "scisumm-corpus"),
    "scisummnet-half": (scisummnet.read_half, "scisumm-corpus"),
    "tac2014": (lambda: tac.read(sources.fetch("tac2014")),),
    "own": (read_own,),
}
"""Each corpus that can be asked for by name: its reader, and the sources whose folders it reads."""

LISTENERS = logging.getLogger("citectx.findings")
"""Logs each corpus that has findings; the command line shows the log, notebooks do not."""

ARCHITECTURES = ("cbow", "skip-gram")
"""The architectures in which vectors are trained.

Ambiguity: sigir2017 trained word2vec without saying in which architecture. All tables have the
first, gensim's default (`citectx.embeddings.train.Word2VecSettings` says why); the other is trained
to be compared with it.
"""

CONCEPTS = ("mesh", "pro", "hgnc", "doid")
"""Vocabularies that replace UMLS, which needs a licence.

Ambiguity: naacl2015 takes the preferred concepts of UMLS, and among vocabularies SNOMED CT. Its
terms on anatomy, procedures and findings have no open twin: ours know genes, proteins, diseases and
what MeSH indexes.
"""


@dataclass(frozen=True)
class Resources:
    """The resources of a corpus's domain.

    `kinds` end the names of its embeddings: architectures, or "small" for the vectors in the
    repository. All tables have the first; others are there to be compared with it.
    """

    domain: str  # name of the embeddings and of the idf list
    vocabulary: tuple[str, ...] = ()  # ontologies of sigir2017
    concepts: tuple[str, ...] = ()  # substitutes for those of naacl2015
    kinds: tuple[str, ...] = ARCHITECTURES


_BIOMEDICAL = Resources("biomedical", ("mesh", "pro"), CONCEPTS)
_LINGUISTIC = Resources("computational-linguistics")
RESOURCES = {
    "teaching": Resources("biomedical", ("teaching",), ("teaching",), ("small",)),
    "citation-integrity": _BIOMEDICAL,
    "citation-integrity-31": _BIOMEDICAL,
    "citation-integrity-31-published": _BIOMEDICAL,
    "citation-integrity-2024": _BIOMEDICAL,
    "tac2014": _BIOMEDICAL,
    "scisumm-train": _LINGUISTIC,
    "scisumm-gold": _LINGUISTIC,
    "scisumm-test": _LINGUISTIC,
    "scisummnet": _LINGUISTIC,
    "scisummnet-unseen": _LINGUISTIC,
    "scisummnet-half": Resources("computational-linguistics-half", kinds=ARCHITECTURES[:1]),
}


def resources_of(corpus: str) -> Resources:
    """Look up the resources of a corpus; one not listed counts as biomedical, like the papers' own.

    The reader's own corpus is treated like the listed one that ``CITECTX_CORPUS_LIKE`` names.
    """
    if corpus == "own":
        like = os.environ.get("CITECTX_CORPUS_LIKE", "tac2014")
        return look_up("CITECTX_CORPUS_LIKE", like, RESOURCES)
    return RESOURCES.get(corpus, _BIOMEDICAL)


def load(corpus: str | Path) -> Corpus:
    """Read a corpus by its name in the tables, or from a folder (`read_folder`).

    A name counts before a folder of that name. If the data of a named corpus is not on this
    machine, the error says how to get it.

    >>> load("teaching")
    Corpus('teaching', 5 topics, 40 citances)
    """
    if corpus in LOADERS:
        read, *names = LOADERS[str(corpus)]
        loaded = read(*map(sources.folder, names))
    elif Path(corpus).name != corpus or Path(corpus).is_dir():
        loaded = read_folder(Path(corpus))
    else:
        raise ParameterError(f"{unknown('corpus', corpus, LOADERS)}; or the path of a folder")
    log_findings(loaded.name, loaded.findings)
    return loaded


def log_findings(name: str, findings: Sequence[str]) -> None:
    """Tell the `LISTENERS` of what was found in a corpus or collection, if anything was."""
    if findings:
        LISTENERS.info("%d findings in %s, the first is %s", len(findings), name, findings[0])
