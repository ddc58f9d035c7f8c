"""A classifier that gives each sentence of a paper one of eleven Core Scientific Concepts.

lrec2016 takes the labels of SAPIENTA, whose features are n-grams, verbs, grammatical relations,
headings, places and lengths, with a conditional random field over the paper. Ours adds up what two
models say of a sentence, and links the sentences of a paper:

1. a linear support vector machine (scikit-learn's LinearSVC) looks at the sentence: n-grams of its
   words, of their first letters and of its skeleton, its heading, its place, the words of three
   sentences on either side (`citectx.recommendation.features`), each weighted by how telling it is
   of a class;
2. small neural networks (`citectx.recommendation.networks`) look at the meaning of the sentence and
   of two sentences on either side, and at its place. Meaning is the mean of word vectors, which
   also know words that ART does not have;
3. a linear chain weighs the classes of a sentence by those of its neighbours, knowing how often one
   class follows another in the training papers.

The same papers give the same labels on every processor: features are counts or lie on a grid, the
support vector machine is trained one number after the other (liblinear), and the networks' sums are
exact.

The ART corpus, from which we learn, may not be used commercially (CC BY-NC). So no trained model is
kept in the repository: `citectx.recommendation.labelling.trained` trains one when it is first
needed (half a minute of one idle core) and keeps it in the cache.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from citectx.corpora.coresc import CLASSES, Paper, check
from citectx.errors import ParameterError
from citectx.recommendation import networks
from citectx.recommendation.features import Tokens, bags, meanings, neighbour_rows, places
from citectx.storage import digest, sha
from citectx.types import Floats, Ints

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
        Hashed n-grams that fewer training sentences have are ignored.
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
        self.arrays: dict[str, NDArray[Any]] = {}  # what was learnt

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
        """Learn from what `Seen.of` laid out; cross-validation lays it out once for all folds."""
        numbers = [CLASSES.index(label) for label in labels]
        present, classes = np.unique(numbers, return_inverse=True)
        if len(seen.sizes) < 2 or len(present) < 2:
            raise ParameterError("training needs at least two papers and two classes")
        columns = self._frequent(seen)
        weights, bias = self._machines(seen.matrix[:, columns], classes)
        shape = (self.members, self.hidden, self.epochs, self.seed)
        with threadpool_limits(1):  # threads that wait for a busy core are slower
            nets = networks.train(seen.inputs(slice(None)), classes, *shape)
        self.arrays = {
            "present": present,
            "columns": columns.astype(np.int32),
            "weights": weights,
            "bias": bias,
            "links": self._links(classes, seen.sizes),
            **nets._asdict(),
        }
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
        if not self.arrays:
            raise ParameterError(
                "the classifier is not trained; call fit first, or use labelling.trained"
            )
        return self.predict_seen(Seen.of(papers, self)) if papers else np.empty((0, len(CLASSES)))

    def predict_seen(self, seen: "Seen") -> Floats:
        """Return the probabilities of what `Seen.of` laid out."""
        arrays = self.arrays
        weights = np.zeros((seen.matrix.shape[1], len(arrays["present"])), dtype=np.float32)
        weights[arrays["columns"]] = arrays["weights"]
        verdicts = seen.matrix @ weights + arrays["bias"]
        scores = self.blend * verdicts.astype(np.float64)
        nets = networks.Networks(*(arrays[name] for name in networks.Networks._fields))
        for first in range(0, len(scores), _ROWS):
            rows = slice(first, first + _ROWS)
            scores[rows] += nets.log_probabilities(seen.inputs(rows))
        alone = networks.softmax(networks.on_grid(scores, networks.WEIGHT))
        result = np.zeros((len(scores), len(CLASSES)))
        result[:, arrays["present"]] = networks.linked(alone, seen.sizes, arrays["links"])
        return result

    def _frequent(self, seen: "Seen") -> Ints:
        """Return the columns that enough sentences have, and all those of places."""
        occurs = np.bincount(seen.matrix.indices, minlength=seen.matrix.shape[1])
        occurs[-seen.places.shape[1] :] += self.min_count
        return np.flatnonzero(occurs >= self.min_count)

    def _links(self, classes: Ints, sizes: Ints) -> Floats:
        """Return how often the column's class follows the row's, over chance, ** `chain`."""
        pairs = np.stack([classes[:-1], classes[1:]])
        across = np.cumsum(sizes)[:-1] - 1  # from one paper to the next
        inside = np.delete(pairs, across, axis=1)
        counts = np.ones((classes.max() + 1, classes.max() + 1))
        np.add.at(counts, tuple(inside), 1)
        by_chance = np.outer(counts.sum(axis=1), counts.sum(axis=0))
        ratio = counts * counts.sum() / by_chance
        return networks.on_grid(ratio**self.chain, 20)

    def _machines(self, matrix: sp.csr_matrix, classes: Ints) -> tuple[NDArray[Any], NDArray[Any]]:
        """Train a support vector machine for each class against the rest."""
        from sklearn.svm import LinearSVC

        weights, bias = [], []
        width = matrix.shape[1]
        occurs = np.bincount(matrix.indices, minlength=width)
        for k in range(classes.max() + 1):
            own = np.bincount(matrix[classes == k].indices, minlength=width)
            scale = self._telling(own, occurs)
            scaled = matrix.data * scale[matrix.indices]
            machine = LinearSVC(C=self.c, tol=self.tol, random_state=self.seed)
            rows = sp.csr_matrix((scaled, matrix.indices, matrix.indptr), matrix.shape)
            machine.fit(rows, classes == k)
            weights.append(machine.coef_[0] * scale)
            bias.append(machine.intercept_[0])
        return np.stack(weights, axis=1).astype(np.float32), np.array(bias, dtype=np.float32)

    def _telling(self, own: Ints, occurs: Ints) -> NDArray[np.float32]:
        """Weigh columns by how far their share with a class is from that without it."""
        ratio = np.abs(_log_shares(own + 1) - _log_shares(occurs - own + 1))
        relative = ratio / ratio.mean() if ratio.any() else np.ones_like(ratio)
        return np.asarray(1 - self.ratio + self.ratio * relative, dtype=np.float32)

    @property
    def fingerprint(self) -> str:
        """Hash of the parameters and of all that was learnt."""
        learnt = [(name, sha(array.tobytes())) for name, array in sorted(self.arrays.items())]
        return digest(self, learnt)


def _log_shares(counts: Ints) -> Floats:
    """Logarithm of each count's share, on a grid."""
    total = np.round(np.log(float(counts.sum())), 6)
    return np.asarray(networks.on_grid(np.log(counts), 20) - total)


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

    sizes: Ints
    matrix: sp.csr_matrix
    places: sp.csr_matrix
    measures: NDArray[np.float32]
    meaning: Floats

    @classmethod
    def of(cls, papers: Sequence[Paper], model: CoreSCClassifier) -> Self:
        """Lay out all sentences as a classifier of these parameters sees them."""
        tokens = Tokens.of(papers)
        indicators, measures = places(papers, tokens)
        words = bags(papers, tokens, model.prefix_weight, model.heading_weight, model.near_weights)
        weighted = indicators * np.float32(model.place_weight)
        matrix = sp.csr_matrix(sp.hstack([words, weighted]))
        sizes = np.array([len(paper) for paper in papers])
        return cls(sizes, matrix, indicators, measures, meanings(tokens))

    def of_papers(self, chosen: NDArray[np.bool_]) -> Self:
        """Return the rows of some papers, chosen by a truth value each."""
        rows = np.repeat(chosen, self.sizes)
        _, matrix, places, measures, meaning = self
        features = matrix[rows], places[rows], measures[rows], meaning[rows]
        return type(self)(self.sizes[chosen], *features)

    def inputs(self, rows: slice) -> networks.Inputs:
        """Lay out what the networks see of some sentences, on their grid."""
        nothing = np.zeros_like(self.meaning[:1])  # row -1
        meaning = np.vstack([self.meaning, nothing]).astype(np.float32)
        near = []
        for distance, weight in WINDOW.items():
            others = neighbour_rows(self.sizes, distance)[rows]
            near.append(meaning[others] * np.float32(weight))
        where = sp.hstack([self.places[rows], sp.csr_matrix(self.measures[rows])])
        return networks.Inputs(np.hstack(near), sp.csr_matrix(where, dtype=np.float64))
