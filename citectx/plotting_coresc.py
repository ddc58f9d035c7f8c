"""The figure of the CoreSC classifier; style and saving are those of `citectx.plotting`."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from citectx.corpora.coresc import CLASSES


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
