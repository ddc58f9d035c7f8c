"""A classifier that gives each sentence of a paper one of eleven Core Scientific Concepts.

lrec2016 takes the labels of SAPIENTA, whose features are n-grams, verbs, grammatical relations,
headings, places and lengths, with a conditional random field over the paper. Ours is a linear
support vector machine that sees the words of a sentence, of its two neighbours and of its heading,
where the sentence stands, and how long it is.

The ART corpus, from which we learn, may not be used commercially (CC BY-NC). So no trained
classifier is kept in the repository: `citectx.recommendation.labelling.trained` trains one where it
is needed, in seconds.
"""

from collections.abc import Sequence
from typing import Self

import pandas as pd
from sklearn.compose import ColumnTransformer
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.svm import LinearSVC

from citectx.corpora.coresc import Paper, check
from citectx.errors import ParameterError
from citectx.recommendation.zones import zones

TOKEN = r"(?u)\b\w+\b|[^\w\s]"
"""A word of any length, or a mark: brackets and signs tell of citations, figures and quantities."""

TEXTS = ["text", "before", "after", "heading"]
PLACES = ["zone", "tenth", "zone and tenth", "length"]


def pipeline() -> Pipeline:
    """Return the untrained classifier of sentences, the rows of a table from `columns`.

    Source: lrec2016 §3, §4 step 1. Ambiguity: the paper names SAPIENTA, not its features or
    training. This pipeline was declared before it was scored; nothing in it was chosen by its
    accuracy.

    The same papers give the same labels on every processor: liblinear trains one number after the
    other, without threads.
    """
    text = TfidfVectorizer(ngram_range=(1, 2), token_pattern=TOKEN, sublinear_tf=True, min_df=3)
    neighbour = TfidfVectorizer(sublinear_tf=True, min_df=3)
    heading = TfidfVectorizer(ngram_range=(1, 2), min_df=2)
    features = ColumnTransformer(
        [
            ("text", text, "text"),
            ("before", neighbour, "before"),
            ("after", neighbour, "after"),
            ("heading", heading, "heading"),
            ("places", OneHotEncoder(handle_unknown="ignore"), PLACES),
        ],
        transformer_weights={
            "text": 1.0,
            "before": 0.4,
            "after": 0.4,
            "heading": 0.5,
            "places": 0.35,
        },
    )
    return make_pipeline(features, LinearSVC(C=0.1, tol=0.1, random_state=0))


def columns(papers: Sequence[Paper]) -> pd.DataFrame:
    """Lay out what the classifier sees: a row for each sentence, paper after paper.

    >>> from citectx.corpora.coresc import Sentence
    >>> title, rest = Sentence("On cells", "title"), Sentence("They rest.", heading="Results")
    >>> columns([Paper("p", (title, rest))]).iloc[1].to_dict()  # doctest: +NORMALIZE_WHITESPACE
    {'text': 'They rest.', 'before': 'On cells', 'after': '', 'heading': 'Results',
     'zone': 'results', 'tenth': 5, 'zone and tenth': 'results 5', 'length': 0}

    Returns
    -------
    DataFrame
        The sentence and its neighbours, "" where there is none; its heading or "none"; the zone of
        the paper (`citectx.recommendation.zones`); the tenth of the paper, 0 to 9; the length in
        steps of six words, up to 11.
    """
    rows = []
    for paper in papers:
        texts = ["", *(sentence.text for sentence in paper.sentences), ""]
        for i, (sentence, zone) in enumerate(zip(paper.sentences, zones(paper), strict=True)):
            seen = (sentence.text, texts[i], texts[i + 2], sentence.heading or "none")
            tenth = 10 * i // len(paper)
            length = min(len(sentence.text.split()) // 6, 11)
            rows.append((*seen, zone, tenth, f"{zone} {tenth}", length))
    return pd.DataFrame(rows, columns=[*TEXTS, *PLACES])


class CoreSCClassifier:
    """Classify the sentences of papers.

    Examples
    --------
    >>> from citectx.corpora.coresc import Sentence
    >>> texts = "We measured the cells.", "It was shown that cells rest."
    >>> paper = Paper("p", tuple(Sentence(text) for text in texts))
    >>> model = CoreSCClassifier().fit([paper] * 3, [("Met", "Res")] * 3)
    >>> model.predict([paper])
    [('Met', 'Res')]
    """

    def fit(self, papers: Sequence[Paper], labels: Sequence[Sequence[str]]) -> Self:
        """Learn from papers whose sentences have one class each.

        Raises
        ------
        ParameterError
            For an unknown class, a paper without sentences, labels that do not fit, and papers that
            are too few to learn from.
        """
        check(papers, labels)
        self.pipeline = pipeline()
        try:
            self.pipeline.fit(columns(papers), [label for own in labels for label in own])
        except ValueError as error:  # one class, or an empty vocabulary
            raise ParameterError(
                "training needs two classes, and words that three sentences have in common; "
                f"scikit-learn says: {error}"
            ) from error
        return self

    def predict(self, papers: Sequence[Paper]) -> list[tuple[str, ...]]:
        """Return the classes of each paper's sentences.

        Raises
        ------
        ParameterError
            If the classifier is not trained.
        """
        if not hasattr(self, "pipeline"):
            raise ParameterError("not trained yet; call fit first, or use labelling.trained")
        table = columns(papers)
        found = iter(self.pipeline.predict(table).tolist() if len(table) else [])
        return [tuple(next(found) for _ in paper.sentences) for paper in papers]
