"""Boosted trees of scikit-learn as plain arrays, kept without pickle and applied without scikit-learn."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]

ROWS = 4096
"""Rows that are worked on at a time, to stay in the processor's cache."""


@dataclass(frozen=True)
class Forest:
    """Trees of one depth; node i has the children 2i + 1 (not above the threshold) and 2i + 2.

    Parameters
    ----------
    features : int16 array, shape (trees, 2**depth - 1)
    thresholds : float32 array, same shape
        Infinite where a shorter branch has ended: its leaf is found furthest to the left below.
    leaves : float32 array, shape (trees, 2**depth)
    baseline : float32 array, shape (classes,)
        Trees belong to the classes in turn.
    """

    features: NDArray[np.int16]
    thresholds: Floats
    leaves: Floats
    baseline: Floats

    @classmethod
    def of(cls, model: Any) -> Self:
        """Take the trees of a fitted HistGradientBoostingClassifier of limited depth.

        Its trees are no public attribute of scikit-learn's; a test compares what both predict.
        """
        predictors = [tree.nodes for stage in model._predictors for tree in stage]
        depth = model.max_depth
        features = np.zeros((len(predictors), 2**depth - 1), dtype=np.int16)
        thresholds = np.full(features.shape, np.inf, dtype=np.float32)
        leaves = np.zeros((len(predictors), 2**depth), dtype=np.float32)
        for tree, nodes in enumerate(predictors):
            todo = [(0, 0, 0)]  # node there, node here, depth
            while todo:
                there, here, level = todo.pop()
                node = nodes[there]
                if node["is_leaf"]:
                    leaves[tree, (here + 1) * 2 ** (depth - level) - 2**depth] = node["value"]
                    continue
                features[tree, here] = node["feature_idx"]
                thresholds[tree, here] = _rounded_down(node["num_threshold"])
                todo.append((int(node["left"]), 2 * here + 1, level + 1))
                todo.append((int(node["right"]), 2 * here + 2, level + 1))
        baseline: NDArray[Any] = np.asarray(model._baseline_prediction, dtype=np.float32).ravel()
        if len(model.classes_) == 2:
            baseline = np.concatenate([-baseline, baseline]) / 2
            leaves = np.stack([-leaves, leaves], axis=1).reshape(-1, leaves.shape[1]) / 2
            features, thresholds = np.repeat(features, 2, axis=0), np.repeat(thresholds, 2, axis=0)
        return cls(features, thresholds, leaves, baseline)

    def probabilities(self, rows: Floats) -> Floats:
        """Give the probability of each class for each row."""
        parts = [self._of(rows[i : i + ROWS]) for i in range(0, len(rows), ROWS)]
        return np.concatenate(parts) if parts else np.empty((0, len(self.baseline)), dtype=np.float32)

    def _of(self, rows: Floats) -> Floats:
        trees, inner = self.features.shape
        features, thresholds = self.features.ravel().astype(np.int32), self.thresholds.ravel()
        flat, first = np.ascontiguousarray(rows).ravel(), np.arange(len(rows), dtype=np.int32) * rows.shape[1]
        scores = np.tile(self.baseline, (len(rows), 1))
        for tree in range(trees):
            node = np.zeros(len(rows), dtype=np.int32)
            while node[0] < inner:
                here = node + tree * inner
                node = 2 * node + 1 + (flat[first + features[here]] > thresholds[here])
            scores[:, tree % len(self.baseline)] += self.leaves[tree, node - inner]
        scores -= scores.max(axis=1, keepdims=True)
        np.exp(scores, out=scores)
        probabilities: Floats = scores / scores.sum(axis=1, keepdims=True)
        return probabilities


def _rounded_down(threshold: float) -> np.float32:
    """Round to 32 bits so that no 32-bit number changes sides."""
    rounded = np.float32(threshold)
    return rounded if float(rounded) <= threshold else np.nextafter(rounded, np.float32(-np.inf))
