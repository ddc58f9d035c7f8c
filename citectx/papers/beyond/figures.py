"""The figure of the learned contextualizer: what each group of features adds."""

from collections.abc import Mapping

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from citectx.show.plotting import PALETTE


def waterfall(
    groups: pd.DataFrame, metric: str, title: str, references: Mapping[tuple[str, str], float] | None = None
) -> Figure:
    """Draw what each group of features adds to those above it, a panel for each corpus.

    A bar runs from the value without a group to the value with it; its whisker is the 95 % interval of the
    difference.

    Parameters
    ----------
    groups : DataFrame
        Columns corpus, added, features, and a metric with its difference, ci_low and ci_high, as
        ``beyond_contexts.groups`` has them.
    metric : str
    title : str
    references : mapping of (corpus, method) to float, optional
        Values to draw as dashed lines, such as those of a baseline.
    """
    corpora = list(dict.fromkeys(groups["corpus"]))
    size = (4.2 * len(corpora) + 3, 4.4)
    figure, axes = plt.subplots(1, len(corpora), figsize=size, squeeze=False)
    for ax, corpus in zip(axes[0], corpora, strict=True):
        rows = groups[groups["corpus"] == corpus].reset_index(drop=True)
        now = rows[metric].to_numpy()
        before = np.concatenate([now[:1], now[:-1]])
        colors = [PALETTE[2] if gained > 0 else PALETTE[1] for gained in now - before]
        height = np.arange(1, len(rows))
        ax.barh(height, (now - before)[1:], left=before[1:], color=colors[1:], height=0.55)
        ax.plot(now[0], 0, "o", color="black", ms=7)
        ends = (rows[f"{metric} {end}"].to_numpy()[1:] + before[1:] for end in ("ci_low", "ci_high"))
        ax.hlines(height, *ends, color="black", lw=1.2)
        for i, value in enumerate(now[:-1]):
            ax.plot([value, value], [i, i + 1], color="0.6", lw=0.8, zorder=0)
        for (where, method), value in (references or {}).items():
            if where == corpus:
                ax.axvline(value, color=PALETTE[0], ls="--", lw=1.2)
                ax.text(value, len(rows) - 0.4, f" {method}", color=PALETTE[0], fontsize=10)
        added = zip(rows["added"], rows["features"].diff().fillna(rows["features"]), strict=True)
        ax.set(yticks=range(len(rows)), yticklabels=[f"{name} ({count:.0f})" for name, count in added])
        ax.set(xlabel=f"{metric} (%)", title=corpus, ylim=(len(rows) - 0.2, -0.6))
        ax.grid(axis="y", visible=False)
    figure.suptitle(title, x=0.01, ha="left", fontsize=12)
    figure.tight_layout()
    return figure
