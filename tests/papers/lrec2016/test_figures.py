"""The figure shows the numbers of the table."""

import pandas as pd

from citectx.corpora.coresc import CLASSES
from citectx.papers.lrec2016.figures import confusion_matrix


def test_cells_are_shares_of_the_annotated_class_and_absent_classes_are_empty() -> None:
    rows = [("ART", "Bac", "Bac", 3), ("ART", "Bac", "Con", 1), ("CRA", "Res", "Res", 2)]
    figure = confusion_matrix(pd.DataFrame(rows, columns=["corpus", "true", "predicted", "n"]), "title")
    art, cra = figure.axes[:2]
    shares = art.images[0].get_array()
    assert shares[0].filled(0).tolist() == [75, 25] + [0] * 9
    assert [t.get_text() for t in art.texts] == ["75", "25"]
    assert [t.get_text() for t in art.get_yticklabels()][:2] == ["Bac (4)", "Con (0)"]
    assert [t.get_text() for t in cra.get_xticklabels()] == list(CLASSES)
    assert [t.get_text() for t in cra.texts] == ["100"]
