"""Which words are plain English: the 10,000 most frequent lower-case words of the Wikipedia sample.

Gene symbols spell English words (SET, REST, IMPACT), and once a text is in lower case nothing tells them
apart. So we ask general text: a word is plain if it is among the most frequent ones that are written in
lower case, and is written so more often than all in capitals (which ``aids`` and ``hp`` are not).

The list is ``plain_words.txt``, most frequent first. ``python -m citectx.ontology.plain_words`` makes it anew
from the open source ``wikipedia-sample``.
"""

import re
from collections import Counter
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from tqdm import tqdm

from citectx.storage import write_atomically

FILE = Path(__file__).with_suffix(".txt")
SIZE = 10_000

_WORD = re.compile(r"[^\W_]+")


@cache
def plain_words() -> frozenset[str]:
    """Return the list as a set.

    >>> [word for word in ("set", "impact", "samhd1", "aids") if word in plain_words()]
    ['set', 'impact']
    """
    return frozenset(line for line in FILE.read_text("utf-8").splitlines() if not line.startswith("#"))


def most_frequent(lines: Iterable[str], size: int = SIZE) -> list[str]:
    """Take the `size` most frequent lower-case words but for those that are mostly in capitals.

    >>> most_frequent(["AIDS aids the set, the set and the AIDS of SET"], size=3)
    ['the', 'set']
    """
    counts: Counter[str] = Counter()
    for line in lines:
        counts.update(_WORD.findall(line))
    lower = [word for word in counts if len(word) > 1 and word.isalpha() and word.islower()]
    lower.sort(key=lambda word: (-counts[word], word))
    return [word for word in lower[:size] if counts[word] > counts[word.upper()]]


def make(folder: Path, file: Path = FILE) -> None:
    """Write the list from the files of WikiExtractor below a folder."""
    paths = sorted(folder.rglob("wiki_*"))
    texts = (path.read_text("utf-8").splitlines() for path in tqdm(paths, unit="file"))
    words = most_frequent(line for lines in texts for line in lines if not line.startswith("<"))
    header = [
        f"# The most frequent lower-case words of {len(paths)} files of the source wikipedia-sample, most",
        "# frequent first; made by `python -m citectx.ontology.plain_words`.",
    ]
    write_atomically(file, "\n".join([*header, *words, ""]))


if __name__ == "__main__":
    from citectx.corpora.sources import folder as source_folder

    make(source_folder("wikipedia-sample"))
