"""The figure shows the numbers of the table."""

import numpy as np
import pandas as pd

from citectx.corpora.coresc import CLASSES
from citectx.papers.lrec2016.figures import confusion_matrix, improvements_by_fold, weights_by_fold


def test_cells_are_shares_of_the_annotated_class_and_absent_classes_are_empty() -> None:
    rows = [
        ("ART", "Bac", "Bac", 3),
        ("ART", "Bac", "Con", 1),
        ("ART", "Goa", "Goa", 2),
        ("CRA", "Res", "Res", 2),
    ]
    figure = confusion_matrix(
        pd.DataFrame(rows, columns=["corpus", "true", "predicted", "n"]), "title"
    )
    art, cra = figure.axes[:2]
    drawn = art.collections[0].get_array()
    assert drawn is not None
    shares = np.ma.filled(drawn, 0).reshape(11, 11)
    assert shares[0].tolist() == [75, 25] + [0] * 9
    assert [t.get_text() for t in art.texts] == ["75", "25", "100"]
    assert [t.get_text() for t in art.get_yticklabels()][:2] == ["Bac (4)", "Con (0)"]
    assert [t.get_text() for t in cra.get_xticklabels()] == list(CLASSES)
    assert [t.get_text() for t in cra.texts] == ["100"]


def test_both_panels_have_the_rows_of_both_and_a_line_between_classes() -> None:
    rows = [("Bac fold 1", "Bac", 6.0), ("Bac fold 2", "Bac", 0.5), ("Res fold 1", "Bac", 0.0)]
    table = pd.DataFrame(rows, columns=["method", "metric", "value"])
    paper, ours = weights_by_fold(
        table, ["Bac"], "title", {("Bac fold 2", "Bac"): 13.0, ("Obj fold 1", "Bac"): 1.0}
    ).axes
    names = ["Bac fold 1", "Bac fold 2", "Obj fold 1", "Res fold 1"]
    assert [label.get_text() for label in paper.get_yticklabels()] == names
    assert {round(text.get_position()[1] - 0.5): text.get_text() for text in paper.texts} == {
        1: "13",
        2: "1",
    }
    assert {round(text.get_position()[1] - 0.5): text.get_text() for text in ours.texts} == {
        0: "6",
        1: "0.5",
        3: "0",
    }
    assert [np.asarray(line.get_ydata())[0] for line in ours.lines] == [2, 3]


def test_an_improvement_that_rounds_to_nothing_has_no_sign() -> None:
    table = pd.DataFrame({"method": ["Bac", "Res"], "metric": "fold 1", "value": [-0.3, -1.6]})
    (ax,) = improvements_by_fold(table, {}, "title").axes
    assert [text.get_text() for text in ax.texts] == ["0", "-2"]
