"""From a number in a table to what it rests on, on one screen: the command ``citectx explain``.

>>> print(*wrapped("made", ["at commit 1a2b"]), sep="")
made        at commit 1a2b
"""

import ast
import inspect
import json
import re
import shlex
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from importlib import import_module
from pathlib import Path
from typing import Any

import pandas as pd

from citectx import profiles, reading
from citectx.errors import DataError, MissingDataError, ParameterError, unknown
from citectx.experiments.report import OVER_CITANCES, SPREAD
from citectx.experiments.results import COLUMNS, RUN, about_run, command, read
from citectx.experiments.tables import numbers, read_csv
from citectx.ledger import Ledger, Results, check, load, papers
from citectx.ledger.readings import Headline, declarations, declared
from citectx.ledger.report import badge, with_interval
from citectx.ledger.results import SCORES
from citectx.papers.curves import COUNTS, experiment, module_of
from citectx.paths import ROOT
from citectx.profiles import Profile
from citectx.retrieval import MODELS, OPTIONAL, OURS
from citectx.retrieval.reformulation import STEPS, Reformulation
from citectx.summarization import SUMMARIZERS

WIDTH, INDENT = 100, 12
SHOWN = 3
"""So many scores are named at either end."""
MOST = 8
"""So many claims are listed."""
SAME = 1e-3
"""A table's value and the mean of its scores, both rounded, differ by less."""
PACKAGE = Path(__file__).parents[1]

Paragraphs = Iterable[str]


class Shelf:
    """The tables of a profile, each read once.

    Parameters
    ----------
    profile : Profile
    """

    def __init__(self, profile: Profile) -> None:
        self.profile, self.results = profile, Results(profile.results)
        self._frames: dict[str, pd.DataFrame] = {}
        self._verdicts: dict[str, pd.DataFrame] = {}

    @cached_property
    def files(self) -> dict[str, Path]:
        """The table files by the tables' names.

        Raises
        ------
        MissingDataError
            If there are none.
        """
        found = {}
        for file in reading.listing(self.profile.results, "*/*.csv"):
            if "." not in file.stem and _header(file) == COLUMNS:
                found[file.stem] = file
        if not found:
            where, name = self.profile.results, self.profile.name
            raise MissingDataError(f"{where} has no tables; run: citectx run --profile {name}")
        return found

    def frame(self, table: str) -> pd.DataFrame:
        """Read a table, and check that its values are what its scores make."""
        if table not in self._frames:
            if reading.there(self.files[table].with_name(f"{table}{SCORES}")):
                self.results.verify(table)
            self._frames[table] = read(self.profile.results, table)
        return self._frames[table]

    def verdicts(self, ledger: Ledger, table: str) -> pd.DataFrame:
        """Judge the claims that rest on a table."""
        if table not in self._verdicts:
            claims = [claim for claim in ledger if table in claim.experiments]
            self._verdicts[table] = check(ledger, self.results, claims)
        return self._verdicts[table]


def _header(file: Path) -> list[str]:
    return reading.read_text(file).partition("\n")[0].strip().split(",")


@dataclass(frozen=True)
class Asked:
    """The number that somebody asks about.

    Parameters
    ----------
    shelf : Shelf
    table, row, metric, corpus : str
        As the table has them.
    place : int
        Where it is in the table, from 0.
    """

    shelf: Shelf = field(repr=False)
    table: str
    row: str
    metric: str
    corpus: str
    place: int

    @property
    def file(self) -> Path:
        """The file of the table."""
        return self.shelf.files[self.table]

    @property
    def record(self) -> dict[Any, Any]:
        """The row of the file."""
        return self.shelf.frame(self.table).iloc[self.place].to_dict()

    @property
    def ledger(self) -> Ledger | None:
        """The ledger of the paper that the table is of, if it is of one."""
        paper = self.table.partition("_")[0]
        return load(paper) if paper in papers() else None

    @property
    def tested(self) -> Ledger | None:
        """The ledger, if claims are about the table."""
        ledger = self.ledger
        return ledger if ledger and self.table in ledger.experiments else None

    @cached_property
    def scores(self) -> "pd.Series[float] | None":
        """What the number is a mean of, by topic and citance, if it was kept."""
        base = self.metric.removesuffix(OVER_CITANCES).removesuffix(SPREAD)
        return self.shelf.results.scores(self.table, self.corpus, self.row, base)

    @property
    def by_topic(self) -> bool:
        """Whether it is a mean over topics: of topics' means, or of what was scored as a whole."""
        topics = set() if self.scores is None else {*self.scores.index.unique("topic")}
        return len(topics) == int(self.record["n"])


def asked(shelf: Shelf, table: str, row: str, metric: str, corpus: str | None = None) -> Asked:
    """Find a number by names that may lack their ends, in letters of either case.

    Raises
    ------
    ParameterError
        If there is no such table, row, metric or corpus, listing what there is; or if the table has
        the number several times, once for each setting.
    """
    table = named("table", table, shelf.files)
    frame = shelf.frame(table)
    row = named("row", row, frame["method"].unique())
    own = frame[frame["method"] == row]
    metric = named("metric", metric, own["metric"].unique())
    own = own[own["metric"] == metric]
    known = own["corpus"].unique().tolist()
    corpus = _closest(table, known) if corpus is None else named("corpus", corpus, known)
    own = own[own["corpus"] == corpus]
    if len(own) > 1:
        raise ParameterError(
            f"{table} has {len(own)} numbers for {row}, {metric} on {corpus}, which differ in "
            f"params: no single one to explain; see {shelf.files[table]}"
        )
    (place,) = own.index.tolist()
    return Asked(shelf, table, row, metric, corpus, place)


def named(kind: str, given: str, known: Iterable[str]) -> str:
    """Find a name: as it is, in letters of either case, or by a beginning that no other has.

    >>> named("row", "we_bio+d", ["WE_Bio", "WE_Bio+dmn"]), named("row", "we_bio", ["WE_Bio", "x"])
    ('WE_Bio+dmn', 'WE_Bio')
    """
    listed, small = list(map(str, known)), given.casefold()
    if given in listed:
        return given
    same = [name for name in listed if name.casefold() == small]
    found = same or [name for name in listed if name.casefold().startswith(small)]
    if len(found) != 1:
        raise unknown(kind, given, found or listed)
    return found[0]


def _closest(table: str, corpora: Sequence[str]) -> str:
    """Take the corpus closest to the paper's own."""
    paper = table.partition("_")[0]
    if paper in papers():
        ledger = load(paper)
        for name in (ledger.corpus, ledger.main):
            if name in corpora:
                return name
    return corpora[0]


def number(about: Asked) -> Paragraphs:
    """Tell value, interval and count, and where it ranks among the rows of its column."""
    record, frame = about.record, about.shelf.frame(about.table)
    value = with_interval(record["value"], record["ci_low"], record["ci_high"], 4)
    column = frame[(frame["corpus"] == about.corpus) & (frame["metric"] == about.metric)]
    said = [value]
    if pd.notna(record["n"]):
        said.append(f"n = {record['n']:g}")
    if pd.notna(record["p_value"]):
        said.append(f"p = {record['p_value']:.4f}")
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
    if not reading.there(file):
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
    named = _row_code(about) | _named(column) | _named(_table_object(about.table))
    for name, found in named.items():
        yield f"{name} ({_near(Path(inspect.getfile(found)))}:{inspect.getsourcelines(found)[1]})"
        source = _source(inspect.getdoc(found) or "")
        if source:
            yield f"  {source}"


def _row_code(about: Asked) -> dict[str, Any]:
    """Find what a row is called after in the registries that know it, by its name in the code."""
    module = _module_of(about.table)
    for registry, known in _registries(module) if module else ():
        if about.row in known:
            return _named(known[about.row], f"{registry}[{about.row!r}]")
    known = {**MODELS, **OURS, **OPTIONAL, **dict.fromkeys(STEPS, Reformulation)}
    return _named(known.get(about.row))


def _registries(module: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the mappings to code of ours in a module, and in those of papers that it uses."""
    own = import_module(module)
    used = [getattr(value, "__module__", None) or "" for value in vars(own).values()]
    papers = [name for name in dict.fromkeys(used) if name.startswith("citectx.papers.")]
    for name in dict.fromkeys([module, *papers]):
        for constant, value in vars(import_module(name)).items():
            if isinstance(value, Mapping) and not constant.startswith("_"):
                code = {key: each for key, each in value.items() if _is_ours(each)}
                yield f"{name}:{constant}", code


def _is_ours(value: object) -> bool:
    return str(_code_of(value).__module__).startswith("citectx.")


def _code_of(value: object) -> Any:
    """Return a class or function as it is, and the class of anything else."""
    return value if inspect.isclass(value) or inspect.isfunction(value) else type(value)


def _named(value: Any, otherwise: str = "") -> dict[str, Any]:
    """Return code by its name; a function without one is named as its registry has it."""
    if value is None:
        return {}
    found = _code_of(value)
    name = f"{found.__module__}:{found.__qualname__}"
    return {otherwise if "<lambda>" in name else name: found}


@cache
def _module_of(table: str) -> str:
    """Find the module that gives a table its name; "" if none does."""
    curves = {experiment(name): module_of(name) for name in declarations()}
    if table in curves:
        return curves[table]
    for path in sorted([*PACKAGE.glob("papers/**/*.py"), *PACKAGE.glob("apps/**/*.py")]):
        text = reading.read_text(path)
        if f'"{table}"' in text and _constants(text, table):
            return ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts)
    return ""


def _constants(text: str, value: str) -> list[str]:
    """Name the constants of a module that are a text.

    >>> _constants('A, B = "one", "two"', "two")
    ['B']
    """
    found = []
    for node in ast.parse(text).body:
        if isinstance(node, ast.Assign):
            (target,) = node.targets
            pairs = [(target, node.value)]
            if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
                pairs = list(zip(target.elts, node.value.elts, strict=True))
            for name, each in pairs:
                if isinstance(name, ast.Name) and isinstance(each, ast.Constant):
                    found += [name.id] if each.value == value else []
    return found


@cache
def _table_object(table: str) -> Any:
    """Find the function that makes a table: the first public one that has its name, or ``run``."""
    name = _module_of(table)
    if not name:
        return None
    module = import_module(name)
    tree = ast.parse(inspect.getsource(module))
    constants = {*_constants(inspect.getsource(module), table)}
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
            used = {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}
            if used & constants:
                return inspect.unwrap(getattr(module, node.name))
    found = getattr(module, "run", getattr(module, "scores", None))
    return inspect.unwrap(found) if found else None


SENTENCE = re.compile(r"(?<=\.) (?=[A-Z`])")
"""Where a sentence of a docstring ends."""


def _source(text: str) -> str:
    r"""Take what a docstring says of its source.

    >>> _source("Rank.\n\nSource: Doe et al. 2001\n§2. Ambiguity: none.\n\nMore.")
    'Source: Doe et al. 2001 §2.'
    """
    start = text.find("Source: ")
    if start < 0:
        return ""
    paragraph = " ".join(text[start:].partition("\n\n")[0].split())
    return SENTENCE.split(paragraph, maxsplit=1)[0]


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


def cmd_explain(
    *, table: str, row: str, metric: str, corpus: str | None = None, profile: str = "open"
) -> int:
    """Run ``citectx explain``.

    Raises
    ------
    ParameterError
        As `asked` does.
    MissingDataError
        If the profile has no results.
    """
    shelf = Shelf(profiles.profile(profile))
    sys.stdout.write(explained(asked(shelf, table, row, metric, corpus)))
    return 0
