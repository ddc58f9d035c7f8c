"""The figures of lrec2016; style and saving are those of `citectx.show.plotting`."""

from collections.abc import Mapping, Sequence

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from citectx.corpora.coresc import CLASSES


def weights_by_fold(table: pd.DataFrame, fields: Sequence[str], title: str) -> Figure:
    """Draw trained weights as the paper does: a row for each class and fold, a column for each field.

    Parameters
    ----------
    table : DataFrame
        One corpus of ``lrec2016_figure4``.
    fields : sequence of str
    title : str
    """
    rows = table[table["method"].str.contains(" fold ")]
    wide = rows.pivot_table(index="method", columns="metric", values="value", sort=False)
    weights = wide[list(fields)].to_numpy()
    figure, ax = plt.subplots(figsize=(8, 0.27 * len(wide) + 1.8))
    ax.imshow(np.log1p(weights), cmap="Blues", aspect="auto", vmin=0, vmax=np.log1p(14))
    for i, j in np.ndindex(weights.shape):
        shade = "white" if weights[i, j] > 3 else "black" if weights[i, j] else "0.7"
        ax.text(j, i, f"{weights[i, j]:g}", ha="center", va="center", fontsize=8, color=shade)
    for i in range(4, len(wide), 4):
        ax.axhline(i - 0.5, color="black", linewidth=0.8)
    ax.set_xticks(range(len(fields)), fields)
    ax.set_yticks(range(len(wide)), wide.index, fontsize=8)
    ax.set(xlabel="class of the sentences in the cited article", ylabel="class of the citing sentence, fold")
    ax.grid(visible=False)
    figure.suptitle(title, x=0.01, ha="left", fontsize=12)
    figure.tight_layout()
    return figure


def gains_by_variant(variants: pd.DataFrame, title: str) -> Figure:
    """Draw what training gains over equal weights, pooled over classes, for each way to train.

    Parameters
    ----------
    variants : DataFrame
        The extra table ``variants`` of ``lrec2016_figure3``.
    title : str
    """
    rows = variants[variants["class"] == "all"].reset_index(drop=True)
    names = rows["variant"] if len(set(rows["corpus"])) == 1 else rows["corpus"] + ": " + rows["variant"]
    figure, ax = plt.subplots(figsize=(8, 0.4 * len(rows) + 1.6))
    error = np.array([rows["difference"] - rows["ci_low"], rows["ci_high"] - rows["difference"]])
    control = rows["variant"].str.startswith("shuffled")
    for marker, color, shown in (("o", "#08519c", ~control), ("s", "#bf5b17", control)):
        ax.errorbar(
            rows["difference"][shown],
            rows.index[shown],
            xerr=error[:, shown],
            fmt=marker,
            color=color,
            capsize=3,
        )
    ax.axvline(0, color="0.4", linewidth=0.8)
    ax.set_yticks(rows.index, names)
    ax.invert_yaxis()
    ax.set(xlabel="gain in NDCG over equal weights (95 % interval, bootstrap over citing articles)")
    figure.suptitle(title, x=0.01, ha="left", fontsize=12)
    figure.tight_layout()
    return figure


def beside_paper(table: pd.DataFrame, published: Mapping[tuple[str, str], float]) -> pd.DataFrame:
    """Lay Figure 3 out: the paper's improvements, then each corpus's own.

    Parameters
    ----------
    table : DataFrame
        Of ``lrec2016_figure3``.
    published : mapping of (class, column) to float
    """
    columns = ["citations", "fold 1", "fold 2", "fold 3", "fold 4", "folds improved", "mean", "sd"]
    kinds = list(dict.fromkeys(row for row, column in published if column == "citations"))
    paper = pd.DataFrame({c: {k: published.get((k, c), np.nan) for k in kinds} for c in columns})
    tables = {"paper (663,000 articles)": paper}
    for name, rows in table.groupby("corpus", sort=False):
        wide = rows.pivot_table(index="method", columns="metric", values="value", sort=False)
        tables[str(name)] = wide.reindex(index=[k for k in kinds if k in wide.index], columns=columns)
    both = pd.concat(tables).round(2)
    return both.rename_axis(index=[None, None], columns=None)  # type: ignore[list-item]


def confusion_matrix(confusion: pd.DataFrame, title: str) -> Figure:
    """Draw a panel for each corpus: of the sentences of each class, the share that was given each class.

    Parameters
    ----------
    confusion : DataFrame
        Columns corpus, true, predicted, n, as ``lrec2016_coresc.confusion`` has them.
    title : str
    """
    corpora = list(dict.fromkeys(confusion["corpus"]))
    figure, axes = plt.subplots(
        1, len(corpora), figsize=(5.6 * len(corpora) + 0.8, 5.8), squeeze=False, layout="constrained"
    )
    for ax, corpus in zip(axes[0], corpora, strict=True):
        counts = confusion[confusion["corpus"] == corpus].pivot_table(
            index="true", columns="predicted", values="n", aggfunc="sum"
        )
        counts = counts.reindex(index=list(CLASSES), columns=list(CLASSES), fill_value=0)
        totals = counts.sum(axis=1)
        shares = 100 * counts.to_numpy() / np.maximum(totals.to_numpy()[:, None], 1)
        image = ax.imshow(shares, cmap="cividis", vmin=0, vmax=100)
        for i, row in enumerate(shares):
            for j, share in enumerate(row):
                if share >= 0.5:
                    color = "black" if share > 55 else "white"
                    ax.text(j, i, f"{share:.0f}", ha="center", va="center", fontsize=8.5, color=color)
        names = [f"{name} ({total:,})" for name, total in totals.items()]
        ax.set(xticks=range(len(CLASSES)), yticks=range(len(CLASSES)), xlabel="predicted class")
        ax.set_xticklabels(CLASSES, fontsize=9)
        ax.set_yticklabels(names, fontsize=9)
        ax.set_ylabel("annotated class (sentences)")
        ax.set_title(corpus, fontsize=11)
        ax.grid(visible=False)
    figure.colorbar(image, ax=axes[0], label="share of the annotated class (%)", shrink=0.8)
    figure.suptitle(title, x=0.01, ha="left", fontsize=12)
    return figure
