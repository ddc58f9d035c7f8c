"""Executing notebooks: order, strict parameters, resume, and errors that name the cell."""

import json
from pathlib import Path

import nbformat
import pytest

from citectx import runner
from citectx.errors import MissingDataError, ParameterError
from citectx.profiles import Profile
from citectx.runner import NotebookError, notebooks

PROFILE = Profile("teaching", (), "")


def write_notebook(folder: Path, name: str, *cells: str, parameters: str = 'profile = "none"\nk = 1') -> Path:
    notebook = nbformat.v4.new_notebook()
    notebook.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3", "language": "python"}
    first = nbformat.v4.new_code_cell(parameters)
    first.metadata["tags"] = ["parameters"]
    notebook.cells = [first, *map(nbformat.v4.new_code_cell, cells)]
    path = folder / f"{name}.ipynb"
    nbformat.write(notebook, path)
    return path


@pytest.fixture
def results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CITECTX_RESULTS", str(tmp_path / "results"))
    return tmp_path / "results" / "teaching"


def test_order_and_choice(tmp_path: Path) -> None:
    for name in ("10_last", "02_second", "01_first", "solutions"):
        write_notebook(tmp_path, name)
    assert [p.stem for p in notebooks(folder=tmp_path)] == ["01_first", "02_second", "10_last"]
    assert [p.stem for p in notebooks(["10", "02_sec"], tmp_path)] == ["02_second", "10_last"]
    with pytest.raises(
        ParameterError, match="unknown notebook '07'; known: '01_first', '02_second', '10_last'"
    ):
        notebooks(["07"], tmp_path)
    with pytest.raises(MissingDataError, match="no notebooks in"):
        notebooks(folder=tmp_path / "nowhere")


def test_unknown_parameters_are_refused_before_anything_runs(tmp_path: Path, results: Path) -> None:
    write_notebook(tmp_path, "00_a")
    write_notebook(tmp_path, "01_b", parameters='profile = "x"')
    with pytest.raises(ParameterError, match=r"01_b\.ipynb has no parameter k; it has profile"):
        runner.run(PROFILE, parameters={"k": 2}, folder=tmp_path)
    assert not results.exists()


def test_run_resume_error_and_provenance(tmp_path: Path, results: Path) -> None:
    write_notebook(tmp_path, "00_good", "print(profile, k)")
    bad = write_notebook(tmp_path, "01_bad", "x = 1", "raise ValueError('no such thing')")
    write_notebook(tmp_path, "02_never", "print('ran')")
    with pytest.raises(NotebookError, match=r"01_bad\.ipynb, cell In \[4\]: ValueError: no such thing"):
        runner.run(PROFILE, parameters={"k": 7}, folder=tmp_path)
    done = results / "notebooks" / "00_good.ipynb"
    text = done.read_text()
    assert "teaching 7" in text
    assert str(tmp_path) not in text
    nbformat.validate(nbformat.read(done, as_version=4))
    assert sorted(p.name for p in done.parent.iterdir()) == ["00_good.ipynb", "01_bad.failed.ipynb"]
    assert "wall_time_s" in json.loads((results / "provenance.json").read_text())["notebook 00_good"]

    write_notebook(tmp_path, bad.stem, "print('mended')")
    outcomes = runner.run(PROFILE, parameters={"k": 7}, folder=tmp_path)
    assert [o.seconds > 0 for o in outcomes] == [False, True, True]
    assert sorted(p.name for p in done.parent.iterdir()) == [
        "00_good.ipynb",
        "01_bad.ipynb",
        "02_never.ipynb",
    ]

    (again,) = runner.run(PROFILE, ["00"], {"k": 8}, folder=tmp_path)
    assert again.seconds > 0
    assert "teaching 8" in done.read_text()


def test_interruption_leaves_nothing_half_written(
    tmp_path: Path, results: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import papermill

    def interrupted(source: str, target: str, *args: object, **kwargs: object) -> None:
        Path(target).write_text("half")
        raise KeyboardInterrupt

    write_notebook(tmp_path, "00_a")
    monkeypatch.setattr(papermill, "execute_notebook", interrupted)
    with pytest.raises(KeyboardInterrupt):
        runner.run(PROFILE, folder=tmp_path)
    assert list((results / "notebooks").iterdir()) == []
