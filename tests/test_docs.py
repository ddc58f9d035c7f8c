"""What the documentation shows works as shown."""

import doctest
import importlib.util
import json
import os
import re
import shlex
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import nbformat
import numpy as np
import pandas as pd
import pytest
from scipy import stats

from citectx import cli, ledger, profiles
from citectx.beyond.leaderboard import SOURCES
from citectx.corpora import Corpus, csv_corpus, sources
from citectx.experiments.results import find, read
from citectx.ledger.claim import best_of, better
from citectx.ledger.rule import BELOW, NOT_BEYOND
from citectx.ledger.verdicts import evidence_of, power
from citectx.papers.acl2008.claims import BASELINES as OF_ACL
from citectx.papers.sigir2017 import table1 as sigir2017_table1
from citectx.papers.sigir2017.claims import BASELINES
from citectx.paths import RESULTS, ROOT
from citectx.retrieval import MODELS, OURS, applicable
from citectx.show import lessons
from citectx.storage import sha256
from docs import choices, headlines, standings
from tests.conftest import Ask
from tests.numbers import says
from tests.test_cli import PAGES, markdown

DOCS = ROOT / "docs"
OWN = "own-corpus-and-methods.md"
BOARD = "leaderboard.md"
OPEN = RESULTS / "open"
CI, CI31, TRAIN = "citation-integrity", "citation-integrity-31", "scisumm-train"
VALUE = "{value:.1f} [{ci_low:.1f}, {ci_high:.1f}]"
RUNS = "best of 110 runs that participants"
GAIN = "{difference:+.1f} [{ci_low:.1f}, {ci_high:.1f}]"


def blocks(page: str, language: str) -> list[str]:
    text = (DOCS / page).read_text("utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


def execute(code: str) -> dict[str, Any]:
    names: dict[str, Any] = {"__name__": "documentation"}
    exec(compile(code, "documentation", "exec"), names)
    return names


@pytest.fixture
def toy(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Add the method of the page, and take it away again."""
    method, line = blocks(OWN, "python")
    module = ModuleType("citectx.retrieval.coverage")
    monkeypatch.setitem(sys.modules, module.__name__, module)
    exec(compile(method, "coverage.py", "exec"), vars(module))
    try:
        execute(line)
        yield "Coverage"
    finally:
        OURS.pop("Coverage", None)


def test_a_new_method_is_in_rows_and_tests(toy: str) -> None:
    teaching = profiles.load("teaching")
    assert toy in applicable("teaching", list(OURS))
    result = sigir2017_table1.run([teaching], ["VSM", "BM25"], beside=[toy])
    assert toy in result.wide("teaching").index
    assert result.citances is not None
    for frame in (result.citances, result.extra["tests"]):
        assert toy in set(frame["method"])
    chosen = json.loads(result.table[result.table["method"] == toy]["params"].iloc[0])["chosen"]
    assert sum(chosen["a"].values()) == len(teaching)
    assert toy in lessons.beside_paper(result, "teaching", ["c-F"]).frame.index


def test_a_run_from_another_program(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (code,) = blocks(BOARD, "python")
    assert len(execute(code)["scores"]) == 40
    assert "nDCG" in capsys.readouterr().out
    assert (tmp_path / "qrels").exists()


@pytest.fixture
def own_corpus(tmp_path: Path) -> Path:
    """The complete example, written file by file as the page shows it."""
    page = (DOCS / OWN).read_text("utf-8")
    files = re.findall(r"^`(mycorpus/\S+)`\n\n```text\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    assert len(files) == 4
    for name, content in files:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(content, "utf-8")
    return tmp_path


def test_own_corpus_by_spreadsheets(own_corpus: Path) -> None:
    corpus: Corpus = csv_corpus.read(own_corpus / "mycorpus")
    assert not corpus.findings
    gold = corpus["rest"].citances[0].gold
    assert gold["A"] == gold["B"]
    assert [len(t.citances) for t in corpus] == [2, 2]


def test_own_corpus_from_a_relative_path_to_the_table(
    own_corpus: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (block,) = (b for b in blocks(OWN, "text") if "CITECTX_CORPUS" in b)
    (export, *variables), (program, *words) = map(shlex.split, block.splitlines())
    assert (export, program) == ("export", "citectx")
    monkeypatch.setenv("CITECTX_RESULTS", "unused")
    for variable in variables:
        monkeypatch.setenv(*variable.split("="))
    monkeypatch.chdir(own_corpus)
    assert cli.main(words) == 0
    table = read(own_corpus / "build" / "own" / "own", "sigir2017_table1")
    assert set(table["method"]) >= {"VSM", "BM25", "LMD"}


def test_trace_a_number_on_the_command_line(ask: Ask) -> None:
    (shown,) = blocks(BOARD, "console")
    command, *lines = shown.splitlines()
    for line, told in zip(lines, ask(*shlex.split(command)[2:]).out.splitlines(), strict=True):
        assert told.startswith(line.removesuffix("…"))


@pytest.mark.parametrize(
    ("page", "most"),
    [
        ("../README.md", 900),
        ("at-scale.md", 450),
        *((page, 700) for page in ("verdicts.md", BOARD, "choices.md", "teaching.md")),
    ],
)
def test_a_page_has_few_words_before_its_first_fold(page: str, most: int) -> None:
    first, fold, _ = (DOCS / page).read_text("utf-8").partition("<details>")
    prose = re.sub(r"(?ms)^```.*?^```", "", first)
    shown = re.sub(r"!\[[^]]*\]\([^)]*\)|\]\([^)]*\)|<[^>]*>", " ", prose)
    assert sum(bool(re.search(r"\w", word)) for word in shown.split()) <= most
    assert fold or most != 700


@pytest.mark.parametrize("module", [headlines, standings, choices])
def test_a_picture_follows_from_the_tables(module: Any) -> None:
    assert module.picture() == module.PICTURE.read_text("utf-8")


VERDICTS = pd.read_csv(find(OPEN, "verdicts.csv"))


def comparisons_of(name: str) -> pd.DataFrame:
    return pd.read_csv(find(OPEN, f"{name}.tests.csv"))


def rows_of(page: str) -> list[str]:
    """The rows of the tables of a page, without those of names and lines."""
    return re.findall(r"^\| .* \|$", (DOCS / page).read_text("utf-8"), re.MULTILINE)


def cells_of(page: str, ending: str) -> list[list[str]]:
    return [row.strip("| ").split(" | ") for row in rows_of(page) if row.endswith(ending)]


def test_leaderboard_has_the_values_of_the_tables() -> None:
    names = ("sigir2017_table1", "beyond_contexts")
    cells = pd.concat([read(OPEN, name) for name in names])
    cells = cells[cells["corpus"] == CI]
    ours = cells_of(BOARD, "| us | a |")
    assert len(ours) == 6
    for method, *_ in ours:
        own = cells[cells["method"] == method].drop_duplicates("metric").set_index("metric")
        values = map(VALUE.format_map, own.loc[["c-F", "nDCG", "c-P@1"]].to_dict("records"))
        says(BOARD, f"| {' | '.join([method, *values])} | us | a |")


def test_leaderboard_of_cl_scisumm_has_the_values_of_its_table() -> None:
    table = read(OPEN, "leaderboard").set_index(["method", "metric"])
    tests = comparisons_of("leaderboard")
    best = tests["against"].iloc[0]
    ahead = tests[tests["against"] == best].set_index(["method", "metric"])

    def shown(method: str, metric: str) -> str:
        cell: Any = table.loc[method, metric] if (method, metric) in table.index else None
        return "—" if cell is None else VALUE.format_map(cell)

    lines = []
    for row in standings.rows().to_dict("records"):
        name, about = row["method"], json.loads(row["params"])
        count = str(about.get("sentences", "—"))
        macro = shown(name, "official F1 (macro)").partition(" ")[0]
        told = "—" if name == best else GAIN.format_map(ahead.loc[(name, "official F1")])
        by = "us" if row["ours"] else "2020"
        scores = [shown(name, metric) for metric in ("c-F", "nDCG")]
        line = [row["name"], count, shown(name, "official F1"), macro, told, *scores, by, "b"]
        says(BOARD, f"| {' | '.join(line)} |")
        lines.append(line)
    assert cells_of(BOARD, " | b |") == lines
    assert standings.line() in (DOCS / BOARD).read_text("utf-8")


def test_what_the_leaderboard_says_of_its_rows() -> None:
    tests = comparisons_of("leaderboard")
    best, lexical = tests["against"].unique()
    row: Any = tests.set_index(["method", "metric", "against"])
    size = "{difference:.1f} [{ci_low:.1f}, {ci_high:.1f}]"
    for text, key in (
        (
            f"{RUNS} sent in 2020, not better than it: {GAIN} points",
            ("LTR, 3", "official F1", best),
        ),
        (f"LTR − the best run is {GAIN}.", ("LTR, 3", "official F1", best)),
        (f"In c-F LTR is {size} ahead", ("LTR, 3", "c-F", best)),
        (f"and {size} over the sentences that teams", ("LTR, 3", "c-F (asked)", best)),
        (f"to BM25 (nDCG {GAIN})", ("BM25+Dense, 3", "nDCG", lexical)),
    ):
        says(BOARD, text.format_map(row.loc[key]))
    table = read(OPEN, "leaderboard").set_index(["method", "metric"])["value"]
    three = [f"{table.loc[f'LTR, {n}', 'official F1']:.1f}" for n in (1, 2, 3)]
    says(BOARD, f"(LTR with 1, 2 and 3: {', '.join(three)})")


def test_what_the_leaderboard_says_first() -> None:
    for ending, column in (("| us | b |", 2), ("| us | a |", 1)):
        scores = {row[0]: float(row[column].split()[0]) for row in cells_of(BOARD, ending)}
        assert max(scores, key=scores.__getitem__) == "LTR"
        vectors = [name for name in scores if name.startswith(("WE_", "Dense", "DESM"))]
        assert vectors and all(scores[name] < scores["BM25"] for name in vectors)
    encoder = comparisons_of("encoder").query("method == 'BM25+Dense' and against == 'BM25'")
    assert (encoder[encoder["metric"] == "nDCG"]["ci_low"] > 0).all()
    assert (encoder[encoder["metric"] == "c-F"]["ci_low"] < 0).all()


def test_how_unusual_the_ten_articles_are() -> None:
    corpora = [CI, CI31, "scisumm-gold"]
    cells: Any = read(OPEN, "sigir2017_table1").set_index(["method", "metric", "corpus"])
    for method in ("No query", "BM25"):
        values = [VALUE.format_map(cells.loc[(method, "c-F", corpus)]) for corpus in corpora]
        says(BOARD, f"| {' | '.join([method, *values])} |")
    for name, method, metric in (
        ("sigir2017_table1", "BM25+abstract", "c-F"),
        ("beyond_contexts", "LTR", "c-F"),
        ("encoder", "Dense", "c-F"),
        ("encoder", "BM25+Dense", "c-F"),
        ("encoder", "BM25+Dense", "nDCG"),
    ):
        tests = comparisons_of(name).query("method == @method and metric == @metric")
        own = tests[tests["against"] == "BM25"].set_index("corpus").reindex(corpora)
        gains = map(GAIN.format_map, own.to_dict("records"))
        label = f"{method} − BM25" + ", nDCG" * (metric == "nDCG")
        told = [gain.replace("+nan [nan, nan]", "the same") for gain in gains]
        says(BOARD, f"| {' | '.join([label, *told])} |")


def test_leaderboard_names_the_data_of_its_lines() -> None:
    page = (DOCS / BOARD).read_text("utf-8")
    for letter, corpus in (("a", CI), ("b", "scisumm-gold")):
        (upstream,) = sources.source(SOURCES[corpus]).upstream
        (judged,) = OPEN.glob(f"*/*.qrels.{corpus}.txt")
        told = rf"- \*\*{letter}\*\*: `{upstream}`.*\s+`{sha256(judged)}`"
        assert re.search(told, page), letter


def test_what_came_back_is_said_first() -> None:
    rows = {row["id"]: row for row in headlines.main_claims().to_dict("records")}
    kinds = Counter(row["verdict"].partition(",")[0] for row in rows.values())
    assert kinds == {"holds": 2, "contradicted": 2, "absent": 1, "inconclusive": 3}
    summaries, weights = rows["context-helps-summaries"], rows["weights-help"]
    assert {summaries["verdict"], weights["verdict"]} == {NOT_BEYOND, BELOW}
    paper, ours = headlines.in_numbers(summaries)
    not_printed, gain = headlines.in_numbers(weights)
    assert not_printed == "not printed"
    over = "{:+.1f} [{:.1f}, {:.1f}]".format(*headlines.lead(summaries))
    value, low, high = headlines.lead(weights)
    for told in (
        f"(`context-helps-summaries`): {ours} points of ROUGE-1 over summaries without them.",
        f"ROUGE-1 over summaries without them. The paper prints {paper}.",
        f"(`weights-help`): {gain} points of NDCG over equal weights.",
        f"the lead over them is {over}.",
        f"better than the trained weights, by {-value:.1f} [{-high:.1f}, {-low:.1f}].",
    ):
        says("verdicts.md", told)
    plain = VERDICTS.query("stage == 'second domain' and verdict == 'holds'")
    assert len(plain) == 4 and "context-helps-summaries" in {*plain["id"]}


REPLICATED = "{} {:.2f} [{:.2f}, {:.2f}]"
PRIMARY = [
    ("sigir2017_table1", better("WE_Bio+dmn", best_of(BASELINES), "c-F"), CI),
    ("sigir2017_table4", better("WE_Bio", "No Context", "LexRank RG-1"), CI),
    ("naacl2015_table2", better("NP", "baseline", "F-1"), CI),
    ("acl2008_table1", better("KL-Divergence", best_of(OF_ACL), "ROUGE-L @15"), TRAIN),
]
KINDS = ("holds", "no control", "not beyond", "below", "contradicted")


def under_readings(name: str) -> dict[str, str]:
    """The four cells of a curve on the page, by comparison, on the first corpus of the curve."""
    table = read(OPEN, f"{name}_curve")
    table = table[table["corpus"] == table["corpus"].iloc[0]]
    table = table[~table["method"].str.contains(", control: ")]
    digits, rows = 1 if name.startswith("sigir2017") else 3, {}
    for method, cells in table.groupby("method", sort=False):
        values = cells.set_index("metric")["value"]
        median, smallest, largest = (
            f"{round(values[key], digits) + 0.0:+.{digits}f}"
            for key in ("median", "smallest", "largest")
        )
        chance = "< 0.001" if values["chance"] < 0.001 else f"{values['chance']:.3f}"
        counts = ", ".join(f"{values[kind]:.0f}" for kind in KINDS)
        shown = f"{median} | {smallest} to {largest} | {chance} | {counts}"
        rows[str(method).replace("|", r"\|")] = f"{shown} of {values['readings']:.0f}"
    return rows


@pytest.mark.parametrize("paper", ["sigir2017", "sigir2017_summaries", "naacl2015", "acl2008"])
def test_headlines_under_readings_are_those_of_the_curves(paper: str) -> None:
    explored, confirmed = under_readings(paper), under_readings(f"{paper}_confirmed")
    for method, cells in explored.items():
        row = f"| {paper.partition('_')[0]} | {method} | {cells} | {confirmed[method]} |"
        says("verdicts.md", row)


def test_headlines_of_lrec2016_under_readings_are_those_of_the_curve() -> None:
    for method, cells in under_readings("lrec2016").items():
        says("verdicts.md", f"| lrec2016 | {method} | — | — | — | — | {cells} |")


def test_the_page_lists_all_verdicts_that_changed() -> None:
    table = VERDICTS[~VERDICTS["ours"] & (VERDICTS["verdict"] != "not testable here")]
    wide = table.pivot_table("verdict", "id", "stage", aggfunc="first")
    wide = wide[["explored", "confirmed"]].dropna()
    changed = wide[wide["explored"] != wide["confirmed"]]
    page = (DOCS / "verdicts.md").read_text("utf-8")
    listed = re.findall(r"\*(\w[\w, ]*)\* →\s+\*(\w[\w, ]*)\*:([^*]*)", page)
    told = {name: (a, b) for a, b, names in listed for name in re.findall(r"`(.+?)`", names)}
    assert told == {name: (row.explored, row.confirmed) for name, row in changed.iterrows()}


def test_what_the_page_says_of_the_articles_that_are_new_in_lrec2016() -> None:
    table = pd.read_csv(find(OPEN, "lrec2016_curve.readings.csv"))
    rows = table[table["citations"] == "new"].drop_duplicates(["role", "against"])
    size = "{effect:+.3f} [{ci_low:.3f}, {ci_high:.3f}]"
    sizes = {(row["role"], row["against"]): size.format_map(row) for row in rows.to_dict("records")}
    weights, classes = sizes["claim", "all baseline"], sizes["claim", "shuffled labels"]
    none = sizes["control", "one field"]
    told = f"weights {weights}, classes {classes} over shuffled ones, and {none} from no classes."
    says("verdicts.md", told)


CHANGES = {
    "sigir2017": [
        *("architecture: skip-gram", "architecture: tuned", "phi: normalized"),
        *("denominator: length", "denominator: query", "denominator: embedding"),
        *("cap: 0.999", "k: 1", "k: 5"),
    ],
    "sigir2017_summaries": [
        *("part: recall", "part: precision", "rouge_stem: True"),
        *("words: 100", "words: as the reference"),
    ],
    "naacl2015": [
        *("depth: 3", "depth: 50", "phrases: any length", "tf: raw", "tf: sqrt"),
        *("stem: True", "over: citances", "annotators: all"),
    ],
    "acl2008": ["part: F", "authority: none", "stop_words: function", "stop_words: none"],
    "lrec2016": ["citations: earlier", "depth: 50", "folds: article"],
}
"""By curve: the choices that docs/choices.md names."""


@pytest.mark.parametrize("name", CHANGES)
def test_what_a_choice_changes_is_the_effect_of_changing_it_alone(name: str) -> None:
    headline, _ = choices.CURVES.get(name, ("all over all baseline in NDCG", 100))
    curves = [name] if name == "lrec2016" else [name, f"{name}_confirmed"]
    moved = [choices.alone(f"{curve}_curve", headline) for curve in curves]
    digits = 1 if name.startswith("sigir2017") else 3
    for choice in CHANGES[name]:
        reading, _, option = choice.partition(": ")
        label = reading.replace("_", " ") if option == "True" else option
        told = [f"{round(sizes[choice], digits) + 0.0:+.{digits}f}" for sizes in moved]
        says("choices.md", f" {label}: {' → '.join(told)}")


def test_what_the_page_says_of_all_choices() -> None:
    total, large, again = choices.counts()
    says("choices.md", f"We changed {total} of them alone,")
    says("choices.md", f"{large} move a headline claim by a point of 100 or more on explored data")
    says("choices.md", f"explored data, and {again} of these do so again, in the same direction.")
    assert choices.line() in (DOCS / "choices.md").read_text("utf-8")


def test_few_choices_that_matter_on_the_ten_articles_do_so_on_the_31() -> None:
    curves = ("sigir2017", "sigir2017_summaries")
    named = [(curve, choice) for curve in curves for choice in CHANGES[curve]]
    listed = choices.changes().round(1).set_index(["curve", "choice"]).loc[named]
    large = listed[listed["explored"].abs() >= 1]
    again = large[(large["confirmed"] * large["explored"]) >= large["explored"].abs()]
    assert (len(large), [*again.index]) == (7, [("sigir2017", "k: 5")])  # as docs/choices.md says


def test_choices_of_other_baselines_change_nothing() -> None:
    headline, _ = choices.CURVES["sigir2017"]
    asked = ("expand", "reduce", "reduce+expand", "tuned")
    for name in ("sigir2017_curve", "sigir2017_confirmed_curve"):
        moved = choices.alone(name, headline)
        names = ["space: in", *(f"reformulation: {choice}" for choice in asked)]
        assert {moved[name] for name in names} == {0}


def at_an_edge(table: str) -> Iterator[str]:
    """Write the page's rows on a table: values that most articles got, first or last of a grid."""
    cells = read(OPEN, table).drop_duplicates(["corpus", "method"])
    params = cells.set_index(["corpus", "method"])["params"].map(json.loads)
    chosen: dict[Any, Any] = {row: about.get("chosen") for row, about in params.items()}
    for method, model in (MODELS | OURS).items():
        if chosen.get((CI, method)):
            of_both = [chosen[corpus, method] for corpus in (CI, CI31)]
            for name, grid in model.grid.items():
                for edge, word in ((grid[0], "lowest"), (grid[-1], "highest")):
                    pairs = [(c[name].get(str(edge), 0), sum(c[name].values())) for c in of_both]
                    if any(2 * most > n for most, n in pairs):
                        counts = " | ".join(f"{most} of {n}" for most, n in pairs)
                        about = table.replace("_", " "), method, name, f"{edge}, {word}"
                        yield f"| {' | '.join(about)} | {counts} |"


def test_tuned_values_at_the_edge_of_their_grid_are_listed() -> None:
    tables = "sigir2017_table1", "naacl2015_models"
    listed = [row for table in tables for row in at_an_edge(table)]
    assert [
        row for row in rows_of("choices.md") if re.search(r"\w, (low|high)est \|", row)
    ] == listed
    models = ("VSM", "BM25", "DFR", "LMD")
    edges = {row.split(" | ")[1] for row in listed if "naacl2015" in row and "0 of 31" not in row}
    assert len(edges & {*models}) == 3  # of the four models that naacl2015 finds alike
    alike = VERDICTS[VERDICTS["id"] == "models-are-alike"].set_index("corpus")["verdict"]
    assert {*alike[[CI, CI31]]} == {"inconclusive"}


@pytest.mark.parametrize("name", ["sigir2017", "naacl2015"])
def test_the_evidence_as_published_changes_no_verdict(name: str) -> None:
    table = pd.read_csv(find(OPEN, f"{name}_confirmed_curve.readings.csv"))
    claims = table[table["role"] == "claim"].drop_duplicates(["headline", "evidence"])
    verdicts = claims.pivot_table("verdict", "headline", "evidence", aggfunc="first")
    assert verdicts["strict"].equals(verdicts["as published"])


def replicated(paper: ledger.Ledger, table: str) -> Iterator[str]:
    """Write the page's rows on a table: Kendall's tau, and our effects over the paper's."""
    check, results = paper.comparisons[table], ledger.open_results(OPEN)
    for corpus in results(table):
        evidence = evidence_of(paper, results, (table,), corpus, table in paper.percent)
        if not evidence.lacks(check.cells()):
            column = check.percent or check.columns[0]
            cells = [c for c in evidence.published if c[1] == column and c in evidence.numbers]
            pairs = ((evidence.published[cell], evidence.numbers[cell][0]) for cell in cells)
            compared = check.compare(evidence, evidence.scores(check.cells()))
            effects = np.stack(compared.ours.at(0).numbers) / check.published(evidence)
            rivals = (rival for _, _, rival in check.pairs())
            rows = map(REPLICATED.format, rivals, *effects)
            tau = stats.kendalltau(*zip(*pairs, strict=True)).statistic
            about = table.replace("_", " "), corpus, len(cells), f"{tau:.2f}"
            yield f"| {' | '.join(map(str, about))} | {'; '.join(rows)} |".replace("w|", r"w\|")


def test_tables_replicate_as_closely_as_the_page_says() -> None:
    papers = map(ledger.load, ledger.papers())
    lines = {line for p in papers for table in p.comparisons for line in replicated(p, table)}
    of_a_table = r"\| \w+ \w+\d \| [\w-]+ \|"  # a table and a corpus
    shown = {row[0] for row in map(re.compile(of_a_table).match, rows_of("verdicts.md")) if row}
    assert {line.partition(" |")[0] for line in shown} == {x.partition(" |")[0] for x in lines}
    for line in sorted(lines):
        if any(line.startswith(row) for row in shown):
            says("verdicts.md", line)


def test_seen_is_said_of_headlines_and_primary_claims() -> None:
    """Primary claims are named in the page's table, not in the ledger."""
    verdicts = VERDICTS.set_index(["id", "corpus"])
    results = ledger.open_results(OPEN)
    primary = []
    for table, check, corpus in PRIMARY:
        paper = ledger.load(table.partition("_")[0])
        relative = table in paper.percent
        primary.append(power(check, evidence_of(paper, results, (table,), corpus, relative)))
        for claim in paper:
            seen = verdicts["seen"].get((claim.claim_id, corpus))
            if claim.headline and pd.notna(seen):
                says("verdicts.md", f"`{claim.claim_id}` {seen:.2f}")
    said = "{:.2f}, {:.2f}, {:.2f} and {:.2f}".format(*primary)
    says("verdicts.md", f"*Seen* of the four primary claims below is {said}")


def test_slides_show_what_a_lesson_says_and_no_exercise(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(ROOT / "notebooks")
    slides: Any = importlib.import_module("slides")
    assert doctest.testmod(slides) == (0, 2)
    for path in sorted((ROOT / "notebooks").glob("*.ipynb")):
        lesson = nbformat.read(path, as_version=4)
        headings = [c.source for c in lesson.cells if c.source.startswith("## ")]
        shown, _ = slides.Slides().preprocess(lesson, {})
        kinds = [cell.metadata["slideshow"]["slide_type"] for cell in shown.cells]
        assert kinds.count("slide") == 1 + len(headings)
        assert not any("exercises.check" in c.source for c in shown.cells if c.cell_type == "code")


def test_slides_need_no_network_and_have_words_for_pictures(tmp_path: Path) -> None:
    if importlib.util.find_spec("sphinx_revealjs") is None:
        pytest.skip("reveal.js is missing: make dev installs sphinx-revealjs")
    config = ROOT / "notebooks" / "slides.py"
    environment = os.environ | {"CITECTX_STATIC": "1"}
    convert = ["-m", "nbconvert", "--config", config, "--to", "slides", "--output-dir", tmp_path]
    lesson = ROOT / "notebooks" / "05_naacl_agreement.ipynb"
    for command in ([config, tmp_path], [*convert, lesson]):
        subprocess.run([sys.executable, *command], check=True, env=environment)
    page = (tmp_path / "05_naacl_agreement.slides.html").read_text("utf-8")
    loaded = re.findall(r"<(?:script|link)\b[^>]*?(?:src|href)=\"([^\"]*)\"", page)
    assert len(loaded) == 5
    for name in loaded:
        assert (tmp_path / name).is_file(), name
    styles = [*tmp_path.rglob("*.css")]
    assert all("//fonts" not in style.read_text("utf-8") for style in styles)
    assert "import mermaid" not in page
    pictures = re.findall(r"<img\b[^>]*?>", re.sub(r"base64,[^\"]*", "", page))
    assert pictures
    assert all(re.search(r'alt="[^"]{10,}"', picture) for picture in pictures)


def test_the_map_of_the_house_names_files_that_are_there() -> None:
    page = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    names = re.findall(r"`([\w./]+(?:\.\w+|/))`", page)
    assert len(names) > 20
    homes = [ROOT, ROOT / "citectx", ROOT / ".github" / "workflows"]
    assert not [name for name in names if not any((home / name).exists() for home in homes)]


def anchors(path: Path) -> set[str]:
    """What a link into a page can name: headings as GitHub writes them, and anchors by hand."""
    text = path.read_text("utf-8")
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    slugs = (re.sub(r"[^\w\s-]", "", heading.lower()).replace(" ", "-") for heading in headings)
    return {*slugs, *re.findall(r'<a id="([\w-]+)">', text)}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_every_link_within_the_repository_leads_somewhere(page: Path) -> None:
    pattern = r"^```.*?^```|`[^`\n]*`"
    text = re.sub(pattern, "", markdown(page), flags=re.MULTILINE | re.DOTALL)
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if re.match(r"\w+:|\.\./\.\./(actions|deployments)", target):
            continue  # elsewhere, or a page that GitHub has beside every repository
        name, _, anchor = target.partition("#")
        place = page.parent / name if name else page
        assert place.exists(), target
        if anchor and place.suffix == ".md":
            assert anchor in anchors(place), target
