"""Train the tagger and the chunker on CoNLL-2000: ``python data/nounphrases/build.py``.

README.md describes the result.
"""

import tempfile
import zipfile
from pathlib import Path

from citectx.corpora import sources
from citectx.language.noun_phrases import FILE, Accuracy, Model, Token, read_conll
from citectx.storage import write_atomically

SMALLEST = 0.3
"""Weights nearer to zero are left out; they hardly matter, and the file is smaller without them."""


def part(name: str) -> list[list[Token]]:
    """Read the training or the test part of CoNLL-2000."""
    path = next(sources.folder("nltk-data").rglob("conll2000.zip"))
    with zipfile.ZipFile(path) as archive, archive.open(f"conll2000/{name}.txt") as file:
        return read_conll(file.read().decode())


def report(what: str, accuracy: Accuracy) -> None:
    """Print one line of README.md's table."""
    print(f"| {what} |", " | ".join(f"{100 * value:.2f}" for value in accuracy), "|")


def main() -> None:
    """Write ``model.json.gz`` and measure it on the test part, before and after leaving weights out."""
    test, model = part("test"), Model.train(part("train"))
    report("all weights", model.evaluate(test))
    data = model.to_bytes(SMALLEST)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, FILE.name)
        path.write_bytes(data)
        report("as committed", Model.read(path).evaluate(test))
    write_atomically(FILE, data)
    print(f"{len(data) / 1e6:.2f} MB")


if __name__ == "__main__":
    main()
