"""Widgets where there are any, the first choice where not."""

import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from citectx import profiles
from citectx.corpora.model import Corpus
from citectx.errors import DataError, ParameterError
from citectx.profiles import Profile
from citectx.show import lessons
from citectx.show.lessons import STATIC, about_this_run, explore, pick, say, say_of_open_data


def shown(k: int, method: str) -> str:
    return f"{k} by {method}"


def test_without_ipywidgets_the_first_choices_are_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(STATIC, raising=False)
    monkeypatch.setitem(sys.modules, "ipywidgets", None)
    assert explore(shown, k=[3, 5], method=["LMD", "VSM"]) == "3 by LMD"


def test_with_ipywidgets_each_choice_has_a_control(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: dict[str, Any] = {}
    fake = SimpleNamespace(
        Dropdown=lambda **given: given | {"list": True},
        SelectionSlider=lambda **given: given,
        interact=lambda function, **controls: seen.update(controls),
    )
    monkeypatch.delenv(STATIC, raising=False)
    monkeypatch.setitem(sys.modules, "ipywidgets", fake)
    assert explore(shown, k=[3, 5, 1], method=["LMD", "VSM"]) is None
    assert seen["k"] == {"options": [1, 3, 5], "value": 3, "description": "k"}
    assert seen["method"]["list"]
    assert list(seen) == ["k", "method"]
    monkeypatch.setenv(STATIC, "1")
    assert explore(shown, k=[3, 5], method=["LMD", "VSM"]) == "3 by LMD"


@pytest.mark.parametrize("choices", [{}, {"k": []}])
def test_nothing_to_choose_from(choices: dict[str, list[int]]) -> None:
    with pytest.raises(ParameterError, match="nothing to choose from"):
        explore(shown, **choices)


def test_a_lesson_opens_on_its_citance_where_the_corpus_has_it_and_nothing_else_was_asked_for(
    teaching: Corpus,
) -> None:
    def picked(wanted: str | None = None, number: str | int | None = None) -> tuple[str, str]:
        topic, citance = pick(teaching, wanted, number, opens_on=("D9003_TEACH", "8"))
        return topic.topic_id, citance.citance_id

    assert picked() == picked("D9003_TEACH") == ("D9003_TEACH", "8")
    assert picked(None, "2") == picked(None, 2) == ("D9003_TEACH", "2")
    assert picked("D9001_TEACH") == ("D9001_TEACH", "1")
    topic, _ = pick(teaching, opens_on=("elsewhere", "8"))
    assert topic is teaching.topics[0]
    with pytest.raises(ParameterError, match=r"D9001_TEACH.*D9005_TEACH"):
        picked("D9009_TEACH")


def test_a_run_with_other_parameters_says_so_in_one_line(
    capsys: pytest.CaptureFixture[str],
) -> None:
    about_this_run(
        profile="teaching", citance=None, others=["culture", "plasma", "tumor"], words=None
    )
    assert capsys.readouterr().out == ""
    about_this_run(profile="open", citance="3", k=3)
    (line,) = capsys.readouterr().out.splitlines()
    assert (
        "profile = 'open' (default: 'teaching'), citance = '3' (default: None). The text describes"
        in line
    )
    assert " k " not in line
    with pytest.raises(ParameterError, match="unknown parameter with a default 'citations'"):
        about_this_run(citations=3)


SAYS = '{{ cell("counts", "behind", decimals=0) }} are behind.'


@pytest.fixture
def open_profile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Profile:
    """The profile open, with 3 behind in the tables just made and 15 in those of the repository."""
    for folder, behind in (("made", 3), ("kept/open", 15)):
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / "counts.csv").write_text(f"behind\n{behind}\n")
    monkeypatch.setenv("CITECTX_OUTPUT", str(tmp_path / "made"))
    monkeypatch.setattr(lessons, "RESULTS", tmp_path / "kept")
    monkeypatch.setattr(lessons, "PROSE", tmp_path)
    (tmp_path / "counts.md.j2").write_text(SAYS)
    about_this_run(k=3)
    return profiles.profile("open")


@pytest.fixture
def displayed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    seen: list[str] = []
    monkeypatch.setattr("IPython.display.display", lambda shown: seen.append(shown.data))
    return seen


def test_on_open_data_a_sentence_is_about_the_tables_just_made(
    open_profile: Profile, displayed: list[str]
) -> None:
    say_of_open_data("counts", open_profile)
    assert displayed == ["3 are behind."]


@pytest.mark.usefixtures("open_profile")
def test_elsewhere_it_is_about_the_tables_of_the_repository(displayed: list[str]) -> None:
    say_of_open_data("counts", profiles.profile("teaching"))
    assert displayed == ["15 are behind."]


def test_with_other_parameters_the_text_describes_the_default_run(
    open_profile: Profile, displayed: list[str]
) -> None:
    about_this_run(k=5)
    say_of_open_data("counts", open_profile)
    about_this_run(profile="open", k=3)
    say_of_open_data("counts", open_profile)
    assert displayed == ["15 are behind.", "3 are behind."]


def test_where_new_tables_cannot_say_it_a_note_says_so(
    open_profile: Profile, tmp_path: Path, displayed: list[str]
) -> None:
    (tmp_path / "made" / "counts.csv").write_text("ahead\n3\n")
    say_of_open_data("counts", open_profile)
    (shown,) = displayed
    assert shown.startswith("*What follows is true of the tables in the repository, not of this")
    assert "unknown column of counts 'behind'" in shown
    assert shown.endswith("\n\n15 are behind.")


def test_a_text_that_is_not_there_is_an_error_that_lists_those_that_are() -> None:
    with pytest.raises(ParameterError, match=r"unknown text of a lesson '1'.*01.*02-formula"):
        say_of_open_data("1", profiles.profile("teaching"))


def test_what_is_said_of_given_tables_has_to_be_there(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="this cell, line 1: there is no table counts"):
        say(SAYS, tmp_path)
