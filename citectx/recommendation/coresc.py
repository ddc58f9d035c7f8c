"""A classifier that gives each sentence of a paper one of eleven Core Scientific Concepts.

lrec2016 takes the labels of SAPIENTA, whose features are n-grams, verbs, grammatical relations,
headings, places and lengths, with a conditional random field over the paper. Ours adds up what two
models say of a sentence, and links the sentences of a paper:

1. a linear support vector machine (scikit-learn's LinearSVC) looks at the sentence: n-grams of its
words, of
   their first letters and of its skeleton, its heading, its place, the words of three sentences
   either side (`citectx.recommendation.features`), each weighted by how telling it is of a class;
2. small neural networks (`citectx.recommendation.networks`) look at the sentence's meaning, that of
two
   sentences either side, and its place. Meaning is the mean of word vectors, which also know words
   that ART does not have;
3. a linear chain weighs the classes of a sentence by those of its neighbours, knowing how often one
class
   follows another in the training papers.

The same papers give the same labels on every processor: features are counts or lie on a grid, the
support vector machine is trained one number after the other (liblinear), and the networks' sums are
exact.

The ART corpus, from which we learn, may not be used commercially (CC BY-NC). So no trained model is
kept in the repository: `citectx.recommendation.labelling.trained` trains one when it is first asked
for (half a minute of one idle core) and keeps it in the data folder, as arrays and JSON.
"""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from citectx.corpora.coresc import CLASSES, Paper, check
from citectx.errors import DataError, MissingDataError, ParameterError
from citectx.recommendation import networks
from citectx.recommendation.features import bags, meanings, neighbour_rows, places, tokens
from citectx.storage import packed, read_arrays, unpacked, write_arrays

Floats = NDArray[np.float64]
VERSION = 10
"""To be raised whenever features or arrays change, so that older models are not taken for current
ones."""

WINDOW = {0: 4.0, -1: 2.0, 1: 2.0, -2: 2.0, 2: 2.0}
"""How much the meaning of a sentence weighs for the networks, by its distance."""

_ROWS = 4096  # laid out for the networks at once


@dataclass
class CoreSCClassifier:
    """Classify all sentences of a paper together.

    Parameters
    ----------
    c : float
        Of the support vector machine: the smaller, the simpler the model.
    tol : float
        Where its optimisation stops.
    place_weight, prefix_weight, heading_weight : float
        Of an indicator of place; of all n-grams of first letters together; of all those of the
        heading. The other n-grams of the sentence together have length 1.
    near_weights : sequence of float
        Of the words of sentences at the distance 1, 2, ... together.
    ratio : float
        How far the weight of a column follows the logarithm of how much more (or less) often it
        occurs with a class than without; 0: not at all, 1: altogether. Source: Wang & Manning 2012,
        "NB-SVM".
    min_count : int
        Hashed n-grams that fewer training sentences have are passed over.
    blend : float
        Weight of the support vector machine's verdicts beside the networks' logarithms of
        probabilities.
    chain : float
        Power to which the links between neighbours' classes count; 0: not at all.
    members, hidden, epochs : int
        How many networks, of how many hidden units each, trained for how long; their mean counts.
    seed : int

    Notes
    -----
    Source: lrec2016 §3, §4 step 1. Ambiguity: the paper names the classifier, not its features or
    training; the hyper-parameters here were chosen on papers of ART's annotators ann1 to ann3:
    `blend`, `chain` and the networks' batches by training on two of them and reading the third, the
    others by training on the rest.

    Each of annotators 1 to 3 predicted from the other two, mean accuracy in percent: the support
    vector machine alone 47.6, the networks alone 46.9, both 48.7 (±0.3 by seed), with the chain
    49.0. What adds nothing beyond the noise of seeds is left out: ten networks instead of five (0.1
    less), dropout of inputs and hidden units (0.1 more), smoothing over paragraphs or sections (0.1
    less), Viterbi decoding instead of marginals (0.1 less), the meaning of the heading (0.2 less),
    of the whole paper (0.1 less) and the 400 most frequent n-grams (0.4 less) as further inputs of
    the networks; words joined with the part that they are in (0.1 less); a column for each
    annotator (0.1 more); shares of the classes adapted to the paper or to the collection (0.1 to 3
    less); learning once more, from 150 articles that the classifier has labelled itself (the
    support vector machine 0.4 to 1 less, the networks the same).

    Examples
    --------
    >>> def paper(name, *texts):
    ...     return Paper(name, tuple(Sentence(text) for text in texts))
    >>> from citectx.corpora.coresc import Sentence
    >>> method, result = "We measured the cells.", "It was shown that cells rest."
    >>> papers = [paper(str(i), method, result) for i in range(4)]
    >>> model = CoreSCClassifier(min_count=1).fit(papers, [("Met", "Res")] * 4)
    >>> model.predict([paper("new", method, result)])
    [('Met', 'Res')]
    """

    c: float = 0.1
    tol: float = 0.1
    place_weight: float = 0.25
    prefix_weight: float = 0.7
    heading_weight: float = 0.5
    near_weights: Sequence[float] = (0.4, 0.3, 0.2)
    ratio: float = 0.5
    min_count: int = 3
    blend: float = 4.0
    chain: float = 0.3
    members: int = 5
    hidden: int = 64
    epochs: int = 3
    seed: int = 0

    def __post_init__(self) -> None:
        self.near_weights = tuple(self.near_weights)
        self._arrays: dict[str, NDArray[Any]] = {}

    def fit(self, papers: Sequence[Paper], labels: Sequence[Sequence[str]]) -> Self:
        """Learn from papers whose sentences have one class each.

        Parameters
        ----------
        papers : sequence of Paper
        labels : sequence of sequences of str

        Raises
        ------
        ParameterError
            For an unknown class, a paper without sentences, labels that do not fit, fewer than two
            papers or classes.
        """
        check(papers, labels)
        return self.fit_seen(Seen.of(papers, self), [label for own in labels for label in own])

    def fit_seen(self, seen: "Seen", labels: Sequence[str]) -> Self:
        """Learn from what `Seen.of` laid out; cross-validation need not lay it out for each
        fold.
        """
        present, of_present = np.unique(
            [CLASSES.index(label) for label in labels], return_inverse=True
        )
        if len(seen.sizes) < 2 or len(present) < 2:
            raise ParameterError("training needs at least two papers and two classes")
        occurs = np.bincount(seen.matrix.indices, minlength=seen.matrix.shape[1])
        occurs[-seen.places.shape[1] :] += self.min_count  # places are never passed over
        kept = np.flatnonzero(occurs >= self.min_count)
        weights, bias = self._machines(seen.matrix[:, kept], of_present)
        learnt = {
            "present": present,
            "columns": kept.astype(np.int32),
            "weights": weights,
            "bias": bias,
        }
        self._arrays = learnt | {"links": self._links(of_present, seen.sizes)}
        shape = (self.members, self.hidden, self.epochs, self.seed)
        with threadpool_limits(1):  # threads that wait for a busy core are slower
            self._arrays |= networks.train(seen.inputs(slice(None)), of_present, *shape)._asdict()
        return self

    def predict(self, papers: Sequence[Paper]) -> list[tuple[str, ...]]:
        """Return the classes of each paper's sentences.

        Raises
        ------
        ParameterError
            If the classifier is not trained, or a paper has no sentences.
        """
        best = iter(self.predict_proba(papers).argmax(axis=1).tolist())
        return [tuple(CLASSES[next(best)] for _ in paper.sentences) for paper in papers]

    def predict_proba(self, papers: Sequence[Paper]) -> Floats:
        """Return probabilities, shape (sentences of all papers, 11), columns as `CLASSES`."""
        check(papers)
        self._check_trained()
        return self.predict_seen(Seen.of(papers, self)) if papers else np.empty((0, len(CLASSES)))

    def predict_seen(self, seen: "Seen") -> Floats:
        """Return the probabilities of what `Seen.of` laid out."""
        arrays = self._arrays
        table = np.zeros((seen.matrix.shape[1], len(arrays["present"])), dtype=np.float32)
        table[arrays["columns"]] = arrays["weights"]
        scores = self.blend * (seen.matrix @ table + arrays["bias"]).astype(np.float64)
        found = networks.Networks(*(arrays[name] for name in networks.Networks._fields))
        for first in range(0, len(scores), _ROWS):
            rows = slice(first, first + _ROWS)
            scores[rows] += found.log_probabilities(seen.inputs(rows))
        alone = networks.softmax(networks.on_grid(scores, networks.WEIGHT))
        result = np.zeros((len(scores), len(CLASSES)))
        result[:, arrays["present"]] = networks.linked(alone, seen.sizes, arrays["links"])
        return result

    def _links(self, y: NDArray[np.int64], sizes: NDArray[np.int64]) -> Floats:
        """Return how many times more often than by chance the column's class follows the row's, **
        chain.
        """
        pairs = np.delete(np.stack([y[:-1], y[1:]]), np.cumsum(sizes)[:-1] - 1, axis=1)
        counts = np.ones((y.max() + 1, y.max() + 1))
        np.add.at(counts, tuple(pairs), 1)
        ratio = counts * counts.sum() / np.outer(counts.sum(axis=1), counts.sum(axis=0))
        return networks.on_grid(ratio**self.chain, 20)

    def _machines(
        self, matrix: sp.csr_matrix, y: NDArray[np.int64]
    ) -> tuple[NDArray[Any], NDArray[Any]]:
        """Train a support vector machine for each class against the rest."""
        from sklearn.svm import LinearSVC

        weights, bias = [], []
        occurs = np.bincount(matrix.indices, minlength=matrix.shape[1])
        for k in range(y.max() + 1):
            scale = self._telling(
                np.bincount(matrix[y == k].indices, minlength=matrix.shape[1]), occurs
            )
            scaled = (matrix.data * scale[matrix.indices], matrix.indices, matrix.indptr)
            machine = LinearSVC(C=self.c, tol=self.tol, random_state=self.seed)
            machine.fit(sp.csr_matrix(scaled, matrix.shape), y == k)
            weights.append(machine.coef_[0] * scale)
            bias.append(machine.intercept_[0])
        return np.stack(weights, axis=1).astype(np.float32), np.array(bias, dtype=np.float32)

    def _telling(self, own: NDArray[np.int64], occurs: NDArray[np.int64]) -> NDArray[np.float32]:
        """Weigh columns by how much more, or less, often they occur with a class than without
        it.
        """
        counts = [1.0 + own, 1.0 + (occurs - own)]
        inside, outside = (
            networks.on_grid(np.log(c), 20) - np.round(np.log(c.sum()), 6) for c in counts
        )
        ratio = np.abs(inside - outside)
        relative = ratio / ratio.mean() if ratio.any() else np.ones_like(ratio)
        return np.asarray(1 - self.ratio + self.ratio * relative, dtype=np.float32)

    @property
    def fingerprint(self) -> str:
        """Hash of all that was learnt and of the version of the features."""
        digest = hashlib.sha256(repr((VERSION, self)).encode())
        for name, array in sorted(self._arrays.items()):
            digest.update(name.encode() + np.ascontiguousarray(array).tobytes())
        return digest.hexdigest()[:16]

    def save(self, path: Path) -> Path:
        """Write arrays (compressed npz) and, inside it, the parameters as JSON.

        Raises
        ------
        ParameterError
            If the classifier is not trained.
        """
        self._check_trained()
        header = json.dumps({"version": VERSION, "classes": CLASSES, "params": asdict(self)})
        write_arrays(path, compressed=True, header=packed([header]), **self._arrays)
        return path

    @classmethod
    def load(cls, path: Path) -> Self:
        """Read what `save` wrote.

        Raises
        ------
        MissingDataError
            If there is no such file.
        DataError
            If it is something else, or was written by another version.
        """
        if not path.is_file():
            raise MissingDataError(f"{path} is not there; run: citectx coresc train")
        arrays = read_arrays(path)
        try:
            header = json.loads(unpacked(arrays.pop("header"))[0])
            if (header["version"], tuple(header["classes"])) != (VERSION, CLASSES):
                raise DataError(
                    "was written by another version; delete it to train again", file=path
                )
            model = cls(**header["params"])
        except (ValueError, KeyError, TypeError) as error:
            raise DataError(f"is no CoreSC classifier ({error!r}); delete it", file=path) from error
        model._arrays = arrays
        return model

    def _check_trained(self) -> None:
        if not self._arrays:
            raise ParameterError(
                "the classifier is not trained; call fit first, or use labelling.trained"
            )


class Seen(NamedTuple):
    """The features of the sentences of some papers, a row each.

    Parameters
    ----------
    sizes : int array, shape (papers,)
        Sentences of each paper.
    matrix : csr_matrix of float32
        What the support vector machine sees.
    places : csr_matrix of float32
    measures, meaning : float arrays
        See `citectx.recommendation.features`.
    """

    sizes: NDArray[np.int64]
    matrix: sp.csr_matrix
    places: sp.csr_matrix
    measures: NDArray[np.float32]
    meaning: Floats

    @classmethod
    def of(cls, papers: Sequence[Paper], model: CoreSCClassifier) -> Self:
        """Lay out all sentences as a classifier of these parameters sees them."""
        found = tokens(papers)
        indicators, measures = places(papers, *found)
        words = bags(papers, *found, model.prefix_weight, model.heading_weight, model.near_weights)
        matrix = sp.csr_matrix(sp.hstack([words, indicators * np.float32(model.place_weight)]))
        return cls(
            np.array([len(p) for p in papers]), matrix, indicators, measures, meanings(*found)
        )

    def of_papers(self, chosen: NDArray[np.bool_]) -> Self:
        """Return the rows of some papers, chosen by a truth value each."""
        rows = np.repeat(chosen, self.sizes)
        _, matrix, places, measures, meaning = self
        return type(self)(
            self.sizes[chosen], matrix[rows], places[rows], measures[rows], meaning[rows]
        )

    def inputs(self, rows: slice) -> networks.Inputs:
        """Lay out what the networks see of some sentences, on their grid."""
        padded = np.vstack([self.meaning, np.zeros_like(self.meaning[:1])]).astype(np.float32)
        near = [
            padded[neighbour_rows(self.sizes, d)[rows]] * np.float32(w) for d, w in WINDOW.items()
        ]
        others = sp.hstack([self.places[rows], sp.csr_matrix(self.measures[rows])])
        return networks.Inputs(np.hstack(near), sp.csr_matrix(others, dtype=np.float64))
