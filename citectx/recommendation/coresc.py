"""A classifier that gives each sentence of a paper one of eleven Core Scientific Concepts.

lrec2016 takes the labels of SAPIENTA, whose features are n-grams, verbs, grammatical relations, headings,
places and lengths, with a conditional random field over the paper. Ours has two stages:

1. a linear support vector machine (scikit-learn's LinearSVC) looks at the sentence: n-grams of its words, of
   their first letters and of its skeleton, its heading, its place, the words of three sentences either side
   (`citectx.recommendation.features`), each weighted by what it tells of a class;
2. a logistic regression looks at the first stage's verdicts on the sentence, on three sentences either side
   and on the paper as a whole, and at its place. It learns from verdicts on papers that the first stage did
   not learn from;
3. small neural networks look at the sentence's meaning, that of two sentences either side, and its place.
   Meaning is the mean of word vectors, which also know words that ART does not have.

All three decide together: their logarithms of probabilities (of the first, its verdicts) are added up.

The ART corpus, from which we learn, may not be used commercially (CC BY-NC). So no trained model is kept in
the repository: `trained` trains one when it is first asked for (about a minute of one idle core) and
keeps it in the data folder, as arrays and JSON.
"""

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from citectx.corpora.coresc import CLASSES, CoreSCCorpus, Paper, Sentence, read_art
from citectx.corpora.sources import data_dir
from citectx.errors import DataError, MissingDataError, ParameterError, unknown
from citectx.recommendation.features import COARSE, bags, meanings, neighbour_rows, neighbours, places, tokens
from citectx.storage import packed, read_arrays, unpacked, write_arrays

__all__ = ["CLASSES", "CoreSCClassifier", "Paper", "Sentence", "check_labels", "trained"]

Floats = NDArray[np.float32]
VERSION = 4
"""To be raised whenever features change, so that models of before are not taken for ours."""


NETWORK_WINDOW = {0: 4.0, -1: 2.0, 1: 2.0, -2: 2.0, 2: 2.0}
"""How much the meaning of a sentence weighs for the networks, by its distance."""

NETWORK_ARRAYS = ("in_weights", "out_weights", "in_bias", "out_bias")
"""Weights and biases of all networks; the first axis is the network."""


class _Seen(NamedTuple):
    """What there is to see of each sentence: a row each in the matrix of the first stage, and the rest."""

    matrix: sp.csr_matrix
    places: sp.csr_matrix
    measures: Floats
    meaning: Floats


def _shifted(rows: Floats, papers: Sequence[Paper], distance: int) -> Floats:
    """Return each sentence the row of the one so far behind it in the paper; zeros where there is none."""
    padded: Floats = np.vstack([rows, np.zeros((1, rows.shape[1]), dtype=np.float32)])
    return padded[neighbour_rows(papers, distance)]


def _log_softmax(scores: Floats) -> Floats:
    scores = scores - scores.max(axis=1, keepdims=True)
    logs: Floats = scores - np.log(np.exp(scores).sum(axis=1, keepdims=True))
    return logs


class CoreSCClassifier:
    """Classify all sentences of a paper together.

    Parameters
    ----------
    c : float
        Of the support vector machine: the smaller, the simpler the model.
    place_weight, prefix_weight, heading_weight : float
        Of an indicator of place; of all n-grams of first letters together; of all those of the heading. The
        other n-grams of the sentence together have length 1.
    near_weights : sequence of float
        Of the words of sentences at the distance 1, 2, ... together.
    ratio : float
        How far the weight of a column follows the logarithm of how much more often (or seldom) it stands with
        a class than without; 0: not at all, 1: altogether. Source: Wang & Manning 2012, "NB-SVM".
    min_count : int
        Hashed n-grams that fewer training sentences have are passed over.
    tol : float
        Where its optimisation stops.
    folds : int
        Parts of the training papers by which the second stage's training verdicts are made.
    window : int
        Sentences either side that the second stage sees.
    c_context : float
        Of the second stage: the smaller, the simpler.
    blend : float
        Weight of the first stage's verdicts where all decide together.
    networks, hidden, epochs : int
        How many networks, of how many hidden units each, trained for how long; their mean counts.
    seed : int

    Notes
    -----
    Source: lrec2016 §3, §4 step 1. Ambiguity: the paper names the classifier, not its features or training;
    the hyper-parameters here were chosen on papers of ART's annotators ann1 to ann3, having trained on the
    others.

    What we saw there, in percent of right sentences: n-grams of words and skeleton with the place alone 49.1;
    with headings 49.6, with first letters 50.2, with the words of a sentence either side 50.6, with all of
    them and three sentences either side 52.1; columns weighted by what they tell 52.7; with the second stage
    53.0; with the networks, which alone reach 51, 54.0. Where other papers of the same annotators may be
    learnt from, it is 55.0. Boosted trees as the second stage were no better than a logistic regression and
    four times as slow; a Viterbi search over the classes' succession, n-grams within words, n-grams by part
    of the paper, n-grams of clusters of words, networks over n-grams, the large vectors in place of the small
    ones, and a second stage that also sees the networks' verdicts gained nothing that lasts.

    Examples
    --------
    >>> def paper(name, *texts):
    ...     return Paper(name, tuple(Sentence(text) for text in texts))
    >>> method, result = "We measured the cells.", "It was shown that cells rest."
    >>> papers = [paper(str(i), method, result) for i in range(4)]
    >>> model = CoreSCClassifier(min_count=1).fit(papers, [("Met", "Res")] * 4)
    >>> model.predict([paper("new", method, result)])
    [('Met', 'Res')]
    """

    def __init__(
        self,
        c: float = 0.1,
        place_weight: float = 0.25,
        prefix_weight: float = 0.7,
        heading_weight: float = 0.5,
        near_weights: Sequence[float] = (0.4, 0.3, 0.2),
        ratio: float = 0.5,
        min_count: int = 3,
        tol: float = 0.1,
        folds: int = 4,
        window: int = 3,
        c_context: float = 0.05,
        blend: float = 4.0,
        networks: int = 3,
        hidden: int = 64,
        epochs: int = 3,
        seed: int = 0,
    ) -> None:
        self.c, self.min_count = c, min_count
        self.place_weight, self.prefix_weight, self.heading_weight = (
            place_weight,
            prefix_weight,
            heading_weight,
        )
        self.near_weights, self.ratio, self.blend = tuple(near_weights), ratio, blend
        self.networks, self.hidden, self.epochs = networks, hidden, epochs
        self.tol, self.folds = tol, folds
        self.window, self.c_context, self.seed = window, c_context, seed
        self._arrays: dict[str, NDArray[Any]] = {}
        self._full: Floats | None = None

    def get_params(self, deep: bool = True) -> dict[str, Any]:  # noqa: ARG002 - scikit-learn's signature
        """Return the parameters by name."""
        return {name: value for name, value in vars(self).items() if not name.startswith("_")}

    def fit(self, papers: Sequence[Paper], labels: Sequence[Sequence[str]]) -> Self:
        """Learn from papers whose sentences have one class each.

        Parameters
        ----------
        papers : sequence of Paper
        labels : sequence of sequences of str

        Raises
        ------
        ParameterError
            For an unknown class, a paper without sentences, labels that do not fit, fewer than two papers or
            classes.
        """
        check_labels(papers, labels)
        y = np.array([CLASSES.index(label) for own in labels for label in own])
        if len(papers) < 2 or len(np.unique(y)) < 2:
            raise ParameterError("training needs at least two papers and two classes")
        seen = self._features(papers)
        occurs = np.bincount(seen.matrix.indices, minlength=seen.matrix.shape[1])
        occurs[-seen.places.shape[1] :] += self.min_count  # places are never passed over
        kept = np.flatnonzero(occurs >= self.min_count)
        own = seen.matrix[:, kept]
        of_paper = self._fold_of(len(papers))
        fold = np.repeat(of_paper, [len(p) for p in papers])
        verdicts = np.empty((len(y), len(CLASSES)), dtype=np.float32)
        for f in np.unique(fold):
            weights, bias = self._first_stage(own[fold != f], y[fold != f])
            verdicts[fold == f] = own[fold == f] @ weights + bias
        weights, bias = self._first_stage(own, y)
        self._full = None
        self._arrays = {"columns": kept.astype(np.int32), "weights": weights, "bias": bias}
        self._second_stage(self._context(verdicts, papers, seen), y)
        self._train_networks(self._surroundings(papers, seen), y)
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
        self._check_trained()
        _check_papers(papers)
        if not papers:
            return np.empty((0, len(CLASSES)), dtype=np.float32)
        seen = self._features(papers)
        verdicts = seen.matrix @ self._table() + self._arrays["bias"]
        context = self._context(verdicts, papers, seen)
        arrays, present = self._arrays, self._arrays["present"]
        scores = (context - arrays["means"]) @ arrays["context_weights"] + arrays["context_bias"]
        scores = _log_softmax(scores) + np.float32(self.blend) * verdicts[:, present]
        if self.networks:
            scores += self._asked_networks(papers, seen)
        result = np.zeros(verdicts.shape, dtype=np.float32)
        result[:, present] = np.exp(_log_softmax(scores))
        return result

    def _features(self, papers: Sequence[Paper]) -> "_Seen":
        found = tokens(papers)
        indicators, measures = places(papers, *found)
        bag = bags(papers, *found)
        blocks = [
            bag.ngrams,
            bag.prefixes * np.float32(self.prefix_weight),
            bag.headings * np.float32(self.heading_weight),
            neighbours(bag.words, papers, self.near_weights),
            indicators * np.float32(self.place_weight),
        ]
        return _Seen(sp.hstack(blocks, format="csr"), indicators, measures, meanings(*found))

    def _fold_of(self, papers: int) -> NDArray[np.int64]:
        order = np.random.default_rng(self.seed).permutation(papers)
        return order % min(self.folds, papers)

    def _first_stage(self, matrix: sp.csr_matrix, y: NDArray[np.int64]) -> tuple[Floats, Floats]:
        """Train one against the rest; classes that do not occur get the verdict -1."""
        from sklearn.svm import LinearSVC

        weights = np.zeros((matrix.shape[1], len(CLASSES)), dtype=np.float32)
        bias = np.full(len(CLASSES), -1, dtype=np.float32)
        present = np.unique(y)
        if len(present) == 1:
            bias[present] = 1
            return weights, bias
        for k in present:
            scale = self._telling(matrix, y == k)
            scaled = (matrix.data * scale[matrix.indices], matrix.indices, matrix.indptr)
            machine = LinearSVC(C=self.c, tol=self.tol, random_state=self.seed)
            machine.fit(sp.csr_matrix(scaled, matrix.shape), y == k)
            weights[:, k], bias[k] = machine.coef_[0] * scale, machine.intercept_[0]
        return weights, bias

    def _telling(self, matrix: sp.csr_matrix, own: NDArray[np.bool_]) -> Floats:
        """Weigh columns by how much more often, or seldom, they stand with a class than without it."""
        mine = np.repeat(own, np.diff(matrix.indptr))
        counts = [1.0 + np.bincount(matrix.indices[m], minlength=matrix.shape[1]) for m in (mine, ~mine)]
        inside, outside = (np.log(each / each.sum()) for each in counts)
        ratio = np.abs(inside - outside)
        if not ratio.any():  # no column tells anything
            return np.ones(len(ratio), dtype=np.float32)
        scale: Floats = (1 - self.ratio + self.ratio * ratio / ratio.mean()).astype(np.float32)
        return scale

    def _table(self) -> Floats:
        """Weights of all hashed columns; those passed over have none."""
        if self._full is None:
            columns = int(self._arrays["columns"][-1]) + 1
            self._full = np.zeros((columns, len(CLASSES)), dtype=np.float32)
            self._full[self._arrays["columns"]] = self._arrays["weights"]
        return self._full

    def _context(self, verdicts: Floats, papers: Sequence[Paper], seen: "_Seen") -> Floats:
        """Lay out what the second stage sees of each sentence."""
        sizes = np.array([len(p) for p in papers])
        paper = np.repeat(np.arange(len(papers)), sizes)
        near = range(-self.window, self.window + 1)
        shifted = [_shifted(verdicts, papers, distance) for distance in near]
        starts = np.cumsum(sizes) - sizes
        means = (np.add.reduceat(verdicts, starts, axis=0) / sizes[:, None]).astype(np.float32)
        return np.hstack([*shifted, means[paper], seen.places[:, :COARSE].toarray(), seen.measures])

    def _surroundings(self, papers: Sequence[Paper], seen: "_Seen") -> Floats:
        """Lay out what the networks see of each sentence."""
        near = [_shifted(seen.meaning, papers, d) * np.float32(w) for d, w in NETWORK_WINDOW.items()]
        return np.hstack([*near, seen.places.toarray(), seen.measures])

    def _train_networks(self, surroundings: Floats, y: NDArray[np.int64]) -> None:
        from sklearn.neural_network import MLPClassifier

        exact: NDArray[np.float64] = surroundings.astype(np.float64)  # many small steps add up rounding
        layers: list[list[NDArray[Any]]] = []
        with threadpool_limits(1):
            for i in range(self.networks):
                network = MLPClassifier(
                    (self.hidden,), alpha=1e-3, batch_size=min(128, len(y)), random_state=self.seed + i
                )
                for _ in range(self.epochs):
                    network.partial_fit(exact, y, classes=np.unique(y))
                layers.append([*network.coefs_, *network.intercepts_])
        for name, arrays in zip(NETWORK_ARRAYS, zip(*layers, strict=True), strict=False):
            stacked = np.stack(arrays).astype(np.float32)
            if name.startswith("out") and stacked.shape[-1] == 1:  # of two classes scikit-learn keeps one
                stacked = np.concatenate([np.zeros_like(stacked), stacked], axis=-1)
            self._arrays[name] = stacked

    def _asked_networks(self, papers: Sequence[Paper], seen: _Seen) -> Floats:
        """Mean of the networks' logarithms of probabilities, shape (sentences, classes present).

        The same as if they were given `_surroundings`, which would take longer to lay out than to look at.
        """
        weights, outs, bias, out_biases = (self._arrays[name] for name in NETWORK_ARRAYS)
        side_by_side = np.hstack(list(weights))
        width, places = seen.meaning.shape[1], seen.places.shape[1]
        *near, of_places, of_measures = np.split(
            side_by_side, np.cumsum([*[width] * len(NETWORK_WINDOW), places])
        )
        hidden: Floats = seen.places @ of_places + seen.measures @ of_measures + bias.ravel()
        for own, (distance, weight) in zip(near, NETWORK_WINDOW.items(), strict=True):
            there: Floats = (seen.meaning @ (own * weight)).astype(np.float32, copy=False)
            hidden += _shifted(there, papers, distance)
        np.maximum(hidden, 0, out=hidden)
        parts = np.split(hidden, len(outs), axis=1)
        logs = [_log_softmax(h @ out + own) for h, out, own in zip(parts, outs, out_biases, strict=True)]
        mean: Floats = np.mean(logs, axis=0)
        return mean

    def _second_stage(self, context: Floats, y: NDArray[np.int64]) -> None:
        """Learn from standardised columns; keep weights for columns as they are."""
        from sklearn.linear_model import LogisticRegression

        means, scale = context.mean(axis=0), context.std(axis=0)
        scale[scale == 0] = 1
        with threadpool_limits(1):  # sums in one order; and threads that wait for a busy core are slower
            model = LogisticRegression(C=self.c_context, max_iter=500).fit((context - means) / scale, y)
        weights, bias = model.coef_.T / scale[:, None], model.intercept_
        if len(model.classes_) == 2:
            weights, bias = np.hstack([-weights, weights]) / 2, np.concatenate([-bias, bias]) / 2
        self._arrays |= {"means": means, "present": model.classes_}
        self._arrays |= {
            "context_weights": weights.astype(np.float32),
            "context_bias": bias.astype(np.float32),
        }

    @property
    def fingerprint(self) -> str:
        """Hash of all that was learnt and of the version of the features."""
        digest = hashlib.sha256(f"{VERSION} {sorted(self.get_params().items())}".encode())
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
        header = json.dumps({"version": VERSION, "classes": CLASSES, "params": self.get_params()})
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
            model = cls(**header["params"])
        except (ValueError, KeyError, TypeError) as error:
            raise DataError(
                f"holds no CoreSC classifier ({error!r}); delete it to train anew", file=path
            ) from error
        if header["version"] != VERSION or tuple(header["classes"]) != CLASSES:
            raise DataError("was written by another version; delete it to train anew", file=path)
        model._arrays = arrays
        return model

    def _check_trained(self) -> None:
        if not self._arrays:
            raise ParameterError("the classifier is not trained; call fit first, or use `trained`")


def check_labels(papers: Sequence[Paper], labels: Sequence[Sequence[str]]) -> None:
    """Make sure that each sentence of each paper has one of `CLASSES`.

    Raises
    ------
    ParameterError
        Naming the paper.
    """
    _check_papers(papers)
    if len(papers) != len(labels):
        raise ParameterError(f"{len(papers)} papers, but labels for {len(labels)}")
    for paper, own in zip(papers, labels, strict=True):
        if len(paper) != len(own):
            raise ParameterError(f"paper {paper.doc_id!r}: {len(paper)} sentences, but {len(own)} labels")
        for label in own:
            if label not in CLASSES:
                raise unknown(f"class in paper {paper.doc_id!r}:", label, CLASSES)


def _check_papers(papers: Sequence[Paper]) -> None:
    for paper in papers:
        if not len(paper):
            raise ParameterError(f"paper {paper.doc_id!r} has no sentences; leave it out")


def model_path(**params: Any) -> Path:
    """Where `trained` keeps the classifier of these parameters, below the data folder."""
    key = hashlib.sha256(f"{VERSION} {sorted(CoreSCClassifier(**params).get_params().items())}".encode())
    return data_dir() / "coresc" / "models" / f"ART-{key.hexdigest()[:12]}.npz"


def trained(*, corpus: CoreSCCorpus | None = None, force: bool = False, **params: Any) -> CoreSCClassifier:
    """Return the classifier that was trained on ART; train it if that was not done on this machine.

    Training takes about a minute of one idle core. ART is for non-commercial use (CC BY-NC), and what is
    learnt from it is for you to use under its licence; the repository holds no copy.

    Parameters
    ----------
    corpus : CoreSCCorpus, optional
        Train on these papers instead of ART, and keep nothing.
    force : bool
        Train anew.
    params
        Of `CoreSCClassifier`.

    Raises
    ------
    MissingDataError
        If ART is needed and not on this machine.
    """
    path = model_path(**params)
    if corpus is None and path.is_file() and not force:
        return CoreSCClassifier.load(path)
    papers = (corpus or read_art()).papers
    model = CoreSCClassifier(**params)
    model.fit([p.paper for p in papers], [p.labels for p in papers])
    if corpus is None:
        model.save(path)
    return model
