"""The figure of naacl2015 Table 1; style and saving are those of `citectx.show.plotting`."""

from collections.abc import Mapping

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from citectx.evaluation import LEVELS
from citectx.show.plotting import finished

SHADES: Mapping[str, str] = dict(zip(LEVELS, ("#08306b", "#2171b5", "#6baed6", "#c6dbef", "#e0e0e0"), strict=True))
"""The darker, the more agreement; grey is none. Distinguishable without colour, too."""


def levels_by_topic(topics: pd.DataFrame, published: Mapping[str, float], title: str) -> Figure:
    """Draw a bar for each topic, cut into levels of agreement, with Krippendorff's alpha at its end.

    Parameters
    ----------
    topics : DataFrame
        Columns corpus, topic, citances, the levels and alpha, as ``naacl2015_table1.topics`` has them.
    published : mapping of level to float
        The paper's counts, for a bar at the foot; empty for none.
    title : str
    """
    paper = pd.DataFrame([published], columns=list(LEVELS)).assign(corpus="paper", topic="TAC 2014 (paper)")
    rows = pd.concat([topics, paper], ignore_index=True) if published else topics
    counts = rows[list(LEVELS)].to_numpy(dtype=np.float64)
    shares = 100 * counts / counts.sum(axis=1, keepdims=True)
    # Half a bar of air between corpora.
    heights = np.arange(len(rows)) + 0.5 * (rows["corpus"] != rows["corpus"].shift()).cumsum()
    figure, ax = plt.subplots(figsize=(9, 0.33 * len(rows) + 2.2))
    for i, name in enumerate(LEVELS):
        left = shares[:, :i].sum(axis=1)
        ax.barh(heights, shares[:, i], left=left, color=SHADES[name], edgecolor="white", label=name)
    for height, alpha in zip(heights, rows["alpha"], strict=True):
        if np.isfinite(alpha):
            ax.text(101, height, f"α = {alpha:.2f}", va="center", fontsize=9)
    names = rows["topic"].where(rows["corpus"] == "paper", rows["corpus"] + "  " + rows["topic"])
    ax.set(xlim=(0, 100), xlabel="citances (%)", yticks=heights, yticklabels=names)
    ax.tick_params(axis="y", labelsize=9)
    ax.grid(axis="y", visible=False)
    ax.invert_yaxis()
    ax.legend(ncols=len(LEVELS), loc="lower left", bbox_to_anchor=(0, 1), frameon=False, fontsize=10)
    return finished(figure, title)
