"""Step diagrams: an algorithm drawn from a lesson's own data, one step after the other.

Each function returns a picture and says in words what it shows, with the numbers.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from IPython.display import Image
from matplotlib.axes import Axes
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from citectx.evaluation.offsets import Spans
from citectx.experiments.contextualization import Prepared
from citectx.language.spans import best_first, select
from citectx.show.plotting import PALETTE, WIDTH, finish, picture
from citectx.types import Floats

LETTER = 0.0145
"""The width of a letter of `MONOSPACED`, as a share of the figure's width."""

MONOSPACED: dict[str, Any] = {"family": "DejaVu Sans Mono", "fontsize": 9}
OURS, OTHERS, *_ = PALETTE
GREY = "0.85"
BORROWED = 100
"""How many words an urn borrows."""
MOST = 8
"""How many words of a text are drawn."""


def told(figure: Figure, title: str, words: str) -> Image:
    """Return the picture of a figure, with its title and what it shows in words."""
    return picture(finish(figure, title), f"{title}. {words}")


def urns(
    sentences: Mapping[str, Sequence[str]],
    share: Callable[[str], float],
    word: str,
    borrowed: float,
    title: str,
    sizes: Mapping[str, float] | None = None,
) -> Image:
    """Draw each sentence as an urn: its own words, those that it borrows, and a draw from both.

    `share` says how much a word of a sentence counts as the `word` of the query, from 0 to 1.
    `borrowed` is how many of the `BORROWED` words are that word. `sizes` says how many words a
    sentence counts as, where that is not the number of its words.
    """
    figure, axes = plt.subplots(len(sentences), figsize=(WIDTH, 1.6 * len(sentences) + 0.5))
    said = []
    for ax, (name, words) in zip(np.atleast_1d(axes), sentences.items(), strict=True):
        counts = [share(own) for own in words]
        bottom = boxes(ax, words, counts)
        found = sum(counts)
        size = sizes[name] if sizes else len(words)
        # Dirichlet smoothing with μ = BORROWED
        chance = f"{100 * (found + borrowed) / (size + BORROWED):.2f} %"
        lines = [
            f"Step 1: {found:.2f} of its {len(words)} words count as “{word}”",
            f"Step 2: it borrows {BORROWED} words, {borrowed:.2f} of them “{word}”",
            f"Step 3: ({found:.2f} + {borrowed:.2f}) / ({size:.3g} + {BORROWED}) = {chance}",
        ]
        ax.text(0, bottom - 0.35, "\n".join(lines), va="top", fontsize=10, linespacing=1.5)
        ax.set_title(name, loc="left")
        ax.set(xlim=(0, 1), ylim=(bottom - 3.1, 1))
        ax.axis("off")
        said.append(f"{name}: {'. '.join(lines)}.")
    return told(figure, title, " ".join(said))


def boxes(ax: Axes, words: Sequence[str], counts: Sequence[float]) -> float:
    """Draw words in boxes, the darker the more they count; returns where the last line ends."""
    x = y = 0.0
    for word, count in zip(words, counts, strict=True):
        width = (len(word) + 1) * LETTER
        # the line is full
        if x + width > 1:
            x = 0.0
            y -= 1.1
        color = to_rgba(OURS, 0.25 + 0.75 * count) if count > 0 else GREY
        ax.add_patch(Rectangle((x, y), width, 0.9, facecolor=color, edgecolor="white"))
        ink = "white" if count > 0.5 else "black"
        ax.text(x + width / 2, y + 0.42, word, ha="center", va="center", color=ink, **MONOSPACED)
        x += width + 0.008
    return y


def shares(
    text: Mapping[str, int], summaries: Mapping[str, Mapping[str, int]], title: str
) -> Image:
    """Draw the words of a text and of a summary that grows: a panel for each step.

    Grey is a word's share of the text, blue its share of the summary after that step.
    """
    words = [word for word, _ in Counter(text).most_common(MOST)]
    wanted = in_percent(text, words)
    size = (WIDTH, 0.3 * MOST + 1.3)
    figure, axes = plt.subplots(1, len(summaries), figsize=size, sharey=True, sharex=True)
    said = []
    for ax, (name, summary) in zip(axes, summaries.items(), strict=True):
        has = in_percent(summary, words)
        ax.barh(words, wanted, color=GREY, height=0.9)
        ax.barh(words, has, color=OURS, height=0.45)
        ax.set_title(name, loc="left", fontsize=10)
        ax.grid(visible=False, axis="y")
        pairs = zip(words, wanted, has, strict=True)
        numbers = [f"{word} {theirs:.0f} and {own:.0f}" for word, theirs, own in pairs]
        said.append(f"{' '.join(name.splitlines())}: {', '.join(numbers)}.")
    axes[0].invert_yaxis()
    figure.supxlabel("percent of words: grey the text, blue the summary", fontsize=10)
    about = "Percent of the text's words and of the summary's."
    return told(figure, title, " ".join([about, *said]))


def in_percent(counts: Mapping[str, int], words: Sequence[str]) -> list[float]:
    """Return the shares of some words among all that are counted.

    >>> in_percent({"a": 3, "b": 1}, ["b", "c"])
    [25.0, 0.0]
    """
    total = sum(counts.values())
    return [100 * counts.get(word, 0) / total for word in words]


def climb(path: Sequence[tuple[Floats, float]], names: Sequence[str], title: str) -> Image:
    """Draw the weights after each change that hill climbing kept: a column for each.

    `path` has the weights, shape (names,), and the score, first those that it began with.
    """
    weights = np.array([step for step, _ in path])  # (steps, names)
    scores = [score for _, score in path]
    size = (WIDTH, 0.3 * len(names) + 2.6)
    figure, (above, ax) = plt.subplots(2, figsize=size, sharex=True, height_ratios=[1, 2.4])
    above.plot(scores, "o-", color=OURS)
    above.set(ylabel="score")
    ax.imshow(weights.T, cmap="Blues", aspect="auto", vmin=0, vmax=max(weights.max(), 1) * 1.4)
    for place, weight in np.ndenumerate(weights):
        ink = "white" if weight else "black"
        ax.text(*place, f"{weight:g}", ha="center", va="center", fontsize=9, color=ink)
    said = []
    # each change: the step before it, and the weight
    for before, name in np.argwhere(np.diff(weights, axis=0)):
        step = before + 1
        corner = (step - 0.45, name - 0.45)
        ax.add_patch(Rectangle(corner, 0.9, 0.9, fill=False, edgecolor=OTHERS, lw=2))
        change = f"{names[name]} from {weights[before, name]:g} to {weights[step, name]:g}"
        said.append(f"step {step}: {change} ({scores[step]:.3f})")
    ax.set_yticks(range(len(names)), names)
    ax.set_xticks(range(len(path)), ["start", *range(1, len(path))])
    ax.set_xlabel("change that was kept (framed: what it changed)")
    ax.grid(visible=False)
    return told(figure, title, f"From {scores[0]:.3f}; {'; '.join(said)}.")


def merging(
    prepared: Prepared, scores: Floats, gold: Mapping[str, Spans], depths: Sequence[int], title: str
) -> Image:
    """Draw what happens to windows that are found: retrieved, merged, and the best returned.

    A panel for each depth, the article from left to right. `scores` are those of one citance.
    """
    candidates = prepared.candidates
    marked = sorted({span for spans in gold.values() for span in spans})
    size = (WIDTH, 1.1 * len(depths) + 1.3)
    figure, axes = plt.subplots(len(depths), figsize=size, sharex=True, sharey=True)
    said = []
    for ax, depth in zip(np.atleast_1d(axes), depths, strict=True):
        found = candidates.spans(best_first(scores, depth))
        returned = candidates.spans(select(candidates, scores, prepared.protocol.k, depth))
        strip(ax, 0, found, "0.5")
        strip(ax, 1, returned, OURS)
        strip(ax, 2, marked, OTHERS)
        length = sum(end - start for start, end in returned)
        about = f"{depth} windows are found, {len(returned)} returned: {length:,} characters"
        ax.set_title(about, loc="left", fontsize=10)
        ax.set_yticks(range(3), ["Step 1: find", "Step 2: merge", "marked by people"], fontsize=10)
        ax.grid(visible=False)
        said.append(f"{about}.")
    whole = len(prepared.topic.reference.text)
    ax.set(xlim=(0, whole), xlabel="place in the article (characters)")
    ax.invert_yaxis()
    return told(figure, title, " ".join(said))


def strip(ax: Axes, place: int, spans: Spans, color: str) -> None:
    """Draw spans in a row of a panel, each on a line of its own, as they may overlap."""
    height = 0.8 / max(len(spans), 1)
    for rank, (start, end) in enumerate(spans):
        bottom = place - 0.4 + rank * height
        ax.broken_barh([(start, end - start)], (bottom, height), color=color, lw=0.3)


def impact(
    heard: Mapping[str, float],
    words: Mapping[str, Sequence[float]],
    scores: Floats,
    chosen: Sequence[int],
    title: str,
) -> Image:
    """Draw the three steps of the impact model.

    `heard` has how loudly each citing paper speaks, `words` the share of a word in the paper, in
    its contexts and in the mixture, and `scores` that of each sentence, shape (sentences,).
    """
    figure, axes = plt.subplots(3, figsize=(WIDTH, 8), height_ratios=[1, 1.3, 1])
    first, second, third = axes
    first.barh([*heard], [*heard.values()], color=OURS)
    first.set(xlabel="how loudly a citing paper speaks (1: the quietest)")
    first.invert_yaxis()
    places = np.arange(len(words))
    of_paper, of_others, mixed = 100 * np.array([*words.values()]).T
    second.barh(places - 0.27, of_paper, 0.26, color=GREY, label="the paper")
    second.barh(places, of_others, 0.26, color=OTHERS, label="the others")
    second.barh(places + 0.27, mixed, 0.26, color=OURS, label="mixed")
    second.set_yticks(places, [*words])
    second.set(xlabel="share of all words (%)")
    second.legend(loc="lower right", fontsize=9)
    second.invert_yaxis()
    colors = [OURS if i in chosen else GREY for i in range(len(scores))]
    # scores are negative divergences: the lowest stands at 0
    third.bar(range(len(scores)), scores - scores.min(), color=colors, width=0.9)
    third.set(xlabel="sentence of the paper (blue: chosen)", ylabel="score")
    names = ["Step 1: listen to the others", "Step 2: mix", "Step 3: score each sentence"]
    for ax, name in zip(axes, names, strict=True):
        ax.set_title(name, loc="left")
        ax.grid(visible=False, axis="y")
    loudest, most = max(heard, key=heard.__getitem__), next(iter(words))
    said = (
        f"{names[0]}: {loudest} speaks loudest, {heard[loudest]:.1f} times as loudly as the "
        f"quietest. {names[1]}: {most} is the most probable word. {names[2]}: sentences "
        f"{', '.join(map(str, sorted(chosen)))} are chosen."
    )
    return told(figure, title, said)
