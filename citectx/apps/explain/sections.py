"""What is told of a number, section by section.

>>> print(*wrapped("made", ["at commit 1a2b"]), sep="")
made        at commit 1a2b
"""

import inspect
import json
import re
import shlex
import subprocess
import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pandas as pd

from citectx.apps.explain.asked import Asked
from citectx.apps.explain.code import named_code, row_code, source, table_code
from citectx.errors import DataError
from citectx.experiments.report import SPREAD
from citectx.experiments.results import RUN, about_run, command
from citectx.experiments.tables import numbers, read_csv
from citectx.ledger import Ledger
from citectx.ledger.readings import Headline, declarations, declared
from citectx.ledger.report import badge, with_interval
from citectx.papers.curves import COUNTS, experiment
from citectx.paths import ROOT
from citectx.summarization import SUMMARIZERS

WIDTH, INDENT = 100, 12
SHOWN = 3
"""So many scores are named at either end."""
MOST = 8
"""So many claims are listed."""
SAME = 1e-3
"""A table's value and the mean of its scores, both rounded, differ by less."""

LEAST = 1e-4
"""The smallest p-value that four decimals can tell from 0."""

Paragraphs = Iterable[str]


def number(about: Asked) -> Paragraphs:
    """Tell value, interval and count, and where it ranks among the rows of its column."""
    record, frame = about.record, about.shelf.frame(about.table)
    value = with_interval(record["value"], record["ci_low"], record["ci_high"], 4)
    if pd.isna(record["value"]):
        yield "empty: the table has this cell without a number"
        return
    column = frame[(frame["corpus"] == about.corpus) & (frame["metric"] == about.metric)]
    said = [value]
    if pd.notna(record["n"]):
        said.append(f"n = {record['n']:g}")
    if pd.notna(record["p_value"]):
        p_value = record["p_value"]
        said.append(f"p = {p_value:.4f}" if p_value >= LEAST else f"p < {LEAST:.4f}")
    rank = int((column["value"] > record["value"]).sum()) + 1
    best = column.sort_values("value", ascending=False, kind="stable").iloc[0].to_dict()
    first = "" if rank == 1 else f"; the largest is {best['method']} with {best['value']:.4f}"
    yield f"{', '.join(said)}: no. {rank} of the {len(column)} rows with this metric{first}"


def in_file(about: Asked) -> Paragraphs:
    """Name the file and the line that the number stands in."""
    yield f"{_near(about.file)}, line {about.place + 2}"


def published(about: Asked) -> Paragraphs:
    """Tell which numbers of the paper stand beside it."""
    ledger = about.tested
    if ledger is None:
        return
    where = ledger.experiments[about.table].where
    for each in ledger.numbers(about.table):
        if (each.row, each.column) == (about.row, about.metric) and each.number:
            written = f"{each.number}{each.mark}"
            yield f"{written} in {each.where or where} of {ledger.paper}, on {ledger.corpus}"


def mean_of(about: Asked) -> Paragraphs:
    """Tell what the number is a mean over."""
    scores = about.scores
    if scores is None:
        yield "nothing that was kept: a count, a correlation or another number that is no mean"
        return
    topics = scores.groupby(level="topic").mean()
    mean = topics.mean() if about.by_topic else scores.mean()
    over = f"{len(topics)} topics" if about.by_topic else f"{len(scores)} citances"
    inner = "" if about.by_topic else f" of {len(topics)} topics"
    if about.metric.endswith(SPREAD):
        yield f"{over}{inner}, as a standard deviation"
    elif abs(mean - about.record["value"]) < SAME:
        yield f"{over}{inner}: made again from its scores"
    else:
        yield f"{over}{inner} in another way: their plain mean is {mean:.4f}"


def parameters(about: Asked) -> Paragraphs:
    """Tell what was chosen by cross-validation, and what all rows share."""
    params = json.loads(about.record["params"] or "{}")
    chosen = params.pop("chosen", {}) if isinstance(params.get("chosen"), dict) else {}
    parts = [_chosen(name, counts) for name, counts in chosen.items() if counts]
    if parts:
        yield f"chosen on the other folds, by topics: {'; '.join(parts)}"
    yield from _tuning(about)
    shared = [f"{name} {_written(value)}" for name, value in params.items() if value is not None]
    if shared:
        yield ", ".join(shared)


def _chosen(name: str, counts: Any) -> str:
    if not isinstance(counts, dict):  # the name is that of a variant
        return f"{name} ({counts})"
    listed = [f"{value} ({n})" for value, n in counts.items()]
    return f"{name} = {', '.join(listed)}"


def _written(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return textwrap.shorten(text, 60, placeholder=" …")


def _tuning(about: Asked) -> Paragraphs:
    file = about.file.with_name(f"{about.table}.tuning.csv")
    if not file.is_file():
        return
    frame = read_csv(file, ["corpus", "method", "params", "objective"])
    own = frame[(frame["corpus"] == about.corpus) & (frame["method"] == about.row)]
    if len(own):
        found = numbers(own, "objective", file, required=True)
        ends = f"{found.min():.1f} to {found.max():.1f} in sample"
        yield f"among {len(own)} variants, {ends} ({file.name})"


def readings(about: Asked) -> Paragraphs:
    """List what the paper leaves open about the table, the declared choice first."""
    for name in _curves(about):
        parts = []
        for each, own in declared(name).readings.items():
            first, *others = map(str, own.choices)
            parts.append(f"{each} = {first} (or {', '.join(others)})")
        yield f"{'; '.join(parts)}"


def _curves(about: Asked) -> list[str]:
    """Name the declarations whose claims look at the table."""
    ledger = about.tested
    if ledger is None:
        return []
    found = [name for name in declarations() if declared(name).paper == ledger.paper]
    return [name for name in found if any(_headlines(name, about.table, ledger))]


def _headlines(curve: str, table: str, ledger: Ledger) -> Iterator[Headline]:
    for each in declared(curve).headlines:
        if table in ledger[each.claim].experiments:
            yield each


def spans(about: Asked) -> Paragraphs:
    """Tell how the headlines that the row is in come out under all readings."""
    ledger, shelf = about.tested, about.shelf
    if ledger is None:
        return
    for name in _curves(about):
        table = experiment(name)
        if table not in shelf.files:
            continue
        frame = shelf.frame(table)
        own = frame[frame["corpus"] == about.corpus]
        wide = own.pivot_table("value", "method", "metric").reindex(columns=[*COUNTS])
        for each in _headlines(name, about.table, ledger):
            if about.row in (each.better, *each.rivals) and each.label in wide.index:
                yield f"{each.label}: {_span(wide.loc[each.label].to_dict())}"


def _span(found: Mapping[Any, float]) -> str:
    counts = f"holds in {found['holds']:.0f} of {found['readings']:.0f} readings"
    counts += f", contradicted in {found['contradicted']:.0f}"
    ends = f"{found['smallest']:+.3g} to {found['largest']:+.3g}, median {found['median']:+.3g}"
    return f"{counts}; {found['declared']:+.3g} as declared, {ends}"


def code(about: Asked) -> Paragraphs:
    """Name the code that makes the row and the table, with what it says of its source."""
    column = SUMMARIZERS.get(about.metric.partition(" ")[0])
    named = (
        row_code(about.table, about.row) | named_code(column) | named_code(table_code(about.table))
    )
    for name, found in named.items():
        yield f"{name} ({_near(Path(inspect.getfile(found)))}:{inspect.getsourcelines(found)[1]})"
        if said := source(inspect.getdoc(found) or ""):
            yield f"  {said}"


def highest(about: Asked) -> Paragraphs:
    """Name the citances or topics with the highest scores."""
    yield from _ends(about, ascending=False)


def lowest(about: Asked) -> Paragraphs:
    """Name those with the lowest."""
    yield from _ends(about, ascending=True)


def _ends(about: Asked, *, ascending: bool) -> Paragraphs:
    scores = about.scores
    if scores is None:
        return
    if about.by_topic:
        scores = scores.groupby(level="topic", sort=False).mean()
    first = scores.sort_values(ascending=ascending, kind="stable").head(SHOWN)
    parts = []
    for key, value in first.items():
        ids = key if isinstance(key, tuple) else (key,)
        parts.append(f"{' '.join(map(str, ids)).strip()} {value:.4g}")
    yield "; ".join(parts)


def made(about: Asked) -> Paragraphs:
    """Tell from which commit, when, where and from which data the table was made."""
    found = about_run(about.file.parent).get("tables", {}).get(about.table, {})
    if not found:
        return
    commit = str(found.get("commit", "unknown"))
    plain, _, changes = commit.partition("+")
    ending = " with changes" if changes else ""
    said = [f"commit {plain[:12]}{_date(plain)}{ending}", f"{found.get('machine', 'unknown')}"]
    yield ", ".join([*said, f"{found.get('wall_time_s')} s"])
    data = found.get("data", {})
    if not isinstance(data, dict):
        raise DataError(f"data is {data!r}; expected an object", file=about.file.with_name(RUN))
    data = dict(data)
    if own := data.pop(about.corpus, ""):
        others = f"; {len(data)} more in {RUN}" if data else ""
        yield f"data: {about.corpus} {own}{others}"


HASH = re.compile("[0-9a-f]{40}")
"""A commit as ``run.json`` has it; anything else would be an option or a name to git."""


@cache
def _date(commit: str) -> str:
    """Return the day of a commit; nothing outside its repository, or if it is none."""
    if not (ROOT / ".git").exists() or not HASH.fullmatch(commit):
        return ""
    words = ["git", "-C", str(ROOT), "show", "-s", "--format=%cs", commit, "--"]
    try:
        done = subprocess.run(words, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return ""
    return f" of {done.stdout.strip()}"


def again(about: Asked) -> Paragraphs:
    """Tell the command that makes the table again."""
    folder, profile = about.file.parent, about.shelf.profile.name
    written = about_run(folder).get("command", "")
    try:
        words = shlex.split(written)
    except ValueError as error:
        raise DataError(f"command is {written!r}: {error}", file=folder / RUN) from error
    if words:
        yield command(["", *_last_names(words)])
    else:
        yield f"citectx run --profile {profile} --only {folder.name.partition('_')[0]}"


def _last_names(words: Sequence[str]) -> list[str]:
    """Leave folders of a machine out, and the interpreter before a command of ours.

    >>> _last_names(["python", "/opt/bin/citectx", "readings"])
    ['/citectx', 'readings']
    """
    if len(words) > 1 and Path(words[1]).is_absolute():
        return [f"/{Path(words[1]).name}", *words[2:]]
    return list(words[1:]) if words[0] == "python" else [f"/{words[0]}", *words[1:]]


def claims(about: Asked) -> Paragraphs:
    """List the claims that look at the number, with their verdicts on the corpus."""
    ledger = about.tested
    if ledger is None:
        return
    frame = about.shelf.verdicts(ledger, about.table)
    own = frame[frame["corpus"] == about.corpus]
    cell = (about.row, about.metric)
    found = []
    for row in own.to_dict("records"):
        claim = ledger[row["id"]]
        if cell in claim.check.cells():
            found.append(f"{badge(row)}  {claim.claim_id}")
    yield from found[:MOST]
    if len(found) > MOST:
        yield f"and {len(found) - MOST} more: citectx claims --paper {ledger.paper}"


SECTIONS: Mapping[str, Callable[[Asked], Paragraphs]] = {
    "number": number,
    "file": in_file,
    "published": published,
    "mean over": mean_of,
    "parameters": parameters,
    "readings": readings,
    "under all": spans,
    "code": code,
    "highest": highest,
    "lowest": lowest,
    "made": made,
    "again": again,
    "claims": claims,
}
"""What is told of a number, in order; a section with nothing to tell is left out."""


def explained(about: Asked) -> str:
    """Tell where a number comes from.

    Returns
    -------
    str
        Some 10 to 40 lines of `WIDTH` columns.
    """
    lines = [f"{about.table}: {about.row}, {about.metric}, on {about.corpus}"]
    for label, section in SECTIONS.items():
        lines += wrapped(label, section(about))
    return "\n".join(lines) + "\n"


def wrapped(label: str, paragraphs: Paragraphs) -> list[str]:
    """Lay a section out: its label, and its paragraphs beside it."""
    lines = []
    for paragraph in paragraphs:
        text = paragraph.strip()
        start = " " * (INDENT + len(paragraph) - len(paragraph.lstrip()))
        how = {"initial_indent": start, "subsequent_indent": start}
        lines += textwrap.wrap(text, WIDTH, break_on_hyphens=False, **how)  # type: ignore[arg-type]
    if lines:
        lines[0] = label.ljust(INDENT) + lines[0][INDENT:]
    return lines


def _near(file: Path) -> str:
    """Name a file from the root of the checkout, where it is below it."""
    return str(file.relative_to(ROOT) if file.is_relative_to(ROOT) else file)
