"""Figures of sigir2017 Tables 3 and 4: scores where people disagree, and what contexts do to summaries."""

from collections.abc import Mapping, Sequence

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from citectx.show.plotting import MARKS, PALETTE


def quartiles(
    scores: pd.DataFrame, published: Mapping[tuple[str, str], float], groups: Sequence[str], title: str
) -> Figure:
    """Draw the best model's c-F of every citance by quartile of human precision, mean and spread on top.

    Parameters
    ----------
    scores : DataFrame
        Columns corpus, method (the quartile), c-F, as the scores of ``sigir2017_table3`` have them.
    published : mapping of (quartile, "c-F" or "c-F sd") to float
    groups : sequence of str
        The quartiles in their order.
    title : str
    """
    corpora = list(dict.fromkeys(scores["corpus"]))
    size = (4.3 * len(corpora) + 1.8, 3.8)
    figure, axes = plt.subplots(1, len(corpora), figsize=size, sharey=True, squeeze=False)
    rng = np.random.default_rng(0)
    places = np.arange(len(groups))
    paper = [[published[group, column] for group in groups] for column in ("c-F", "c-F sd")]
    for ax, corpus in zip(axes[0], corpora, strict=True):
        own = scores[scores["corpus"] == corpus]
        parts = [own.loc[own["method"] == group, "c-F"].to_numpy() for group in groups]
        for x, part in zip(places, parts, strict=True):
            jitter = x - 0.12 + rng.uniform(-0.1, 0.1, len(part))
            ax.plot(jitter, part, ".", color="#999999", ms=5, alpha=0.6, zorder=1)
        means, sds = [p.mean() for p in parts], [p.std(ddof=1) for p in parts]
        style = {"ms": 8, "capsize": 4, "lw": 1.6}
        ax.errorbar(places - 0.12, means, sds, fmt=MARKS[0], color=PALETTE[0], label="ours", **style)
        ax.errorbar(
            places + 0.2,
            *paper,
            fmt=MARKS[1],
            color=PALETTE[1],
            mfc="white",
            label="paper (TAC 2014)",
            **style,
        )
        ax.set(xticks=places, xticklabels=groups, title=corpus, xlabel="quartile of human precision")
        ax.grid(axis="x", visible=False)
    axes[0][0].set_ylabel("c-F of the best model (%)")
    axes[0][-1].legend(frameon=False, loc="center left", bbox_to_anchor=(1.0, 0.5))
    figure.suptitle(title, x=0.01, ha="left", fontsize=12)
    figure.tight_layout()
    return figure


def against_people(tests: pd.DataFrame, title: str) -> Figure:
    """Draw how far the first span of each model lies above or below people, with 95 % intervals.

    Parameters
    ----------
    tests : DataFrame
        Columns corpus, method, metric, difference, ci_low, ci_high, as ``sigir2017_table3.tests`` has them;
        one colour for each metric.
    title : str
    """
    corpora, methods = list(dict.fromkeys(tests["corpus"])), list(dict.fromkeys(tests["method"]))
    size = (3.9 * len(corpora) + 2.2, 0.42 * len(methods) + 2.0)
    figure, axes = plt.subplots(1, len(corpora), figsize=size, sharey=True, squeeze=False)
    for ax, corpus in zip(axes[0], corpora, strict=True):
        for i, (metric, rows) in enumerate(tests[tests["corpus"] == corpus].groupby("metric", sort=False)):
            own = rows.set_index("method").reindex(methods)
            spread = [own["difference"] - own["ci_low"], own["ci_high"] - own["difference"]]
            height = np.arange(len(methods)) + 0.24 * (i - 0.5)
            ax.errorbar(
                own["difference"],
                height,
                xerr=spread,
                fmt=MARKS[i],
                color=PALETTE[i],
                ms=6,
                capsize=2,
                label=metric,
            )
        ax.axvline(0, color="black", lw=1)
        ax.set(title=corpus, xlabel="points above people", yticks=range(len(methods)), yticklabels=methods)
        ax.grid(axis="y", visible=False)
    axes[0][0].invert_yaxis()
    handles, labels = axes[0][0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="lower center", ncols=2, bbox_to_anchor=(0.5, -0.06), frameon=False)
    figure.suptitle(title, x=0.01, ha="left", fontsize=12)
    figure.tight_layout()
    return figure


def gains(
    against: pd.DataFrame, published: Mapping[tuple[str, str], float], base: str, kind: str, title: str
) -> Figure:
    """Draw what each row gains over a base, a panel for each summarizer; crosses are the paper's gains.

    Parameters
    ----------
    against : DataFrame
        Columns corpus, method, metric, difference, ci_low, ci_high, as ``against_none`` of Table 4 has them.
    published : mapping of (method, metric) to float
        The paper's values, from which its gains are taken.
    base : str
        The row that others are compared with.
    kind : str
        End of the metrics to draw, such as "RG-2".
    title : str
    """
    rows = against[against["metric"].str.endswith(kind)]
    metrics, methods = list(dict.fromkeys(rows["metric"])), list(dict.fromkeys(rows["method"]))
    corpora = list(dict.fromkeys(rows["corpus"]))
    size = (2.7 * len(metrics) + 1.6, (0.2 + 0.14 * len(corpora)) * len(methods) + 2.0)
    figure, axes = plt.subplots(1, len(metrics), figsize=size, sharey=True, squeeze=False)
    for ax, metric in zip(axes[0], metrics, strict=True):
        for i, corpus in enumerate(corpora):
            chosen = rows[(rows["corpus"] == corpus) & (rows["metric"] == metric)]
            own = chosen.set_index("method").reindex(methods)
            spread = [own["difference"] - own["ci_low"], own["ci_high"] - own["difference"]]
            height = np.arange(len(methods)) + 0.22 * (i - (len(corpora) - 1) / 2)
            style = {"fmt": MARKS[i], "color": PALETTE[i], "ms": 5, "capsize": 2}
            ax.errorbar(own["difference"], height, xerr=spread, label=corpus, **style)
        known = [m for m in methods if (m, metric) in published]
        paper = [published[m, metric] - published[base, metric] for m in known]
        ax.plot(
            paper,
            [methods.index(m) for m in known],
            "x",
            color="black",
            ms=7,
            mew=2,
            label="paper (TAC 2014)",
        )
        ax.axvline(0, color="black", lw=1)
        ax.set(title=metric.removesuffix(f" {kind}"), xlabel=f"{kind}, points", yticks=range(len(methods)))
        ax.set_yticklabels(methods)
        ax.grid(axis="y", visible=False)
    axes[0][0].invert_yaxis()
    handles, labels = axes[0][0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="lower center", ncols=4, bbox_to_anchor=(0.5, -0.05), frameon=False)
    figure.suptitle(title, x=0.01, ha="left", fontsize=12)
    figure.tight_layout()
    return figure
