"""A classifier that gives each sentence of a paper one of eleven Core Scientific Concepts.

lrec2016 takes the labels of SAPIENTA, a conditional random field. Ours is a linear support vector
machine on the words of a sentence, of its neighbours and of its heading, its place and its length.
"""

from collections.abc import Sequence

import pandas as pd
from sklearn.compose import ColumnTransformer
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.svm import LinearSVC

from citectx.corpora.coresc import Paper
from citectx.recommendation.zones import zones

TOKEN = r"(?u)\b\w+\b|[^\w\s]"
"""A word of any length, or a mark: brackets and signs tell of citations, figures and quantities."""

TEXTS = ["text", "before", "after", "heading"]
PLACES = ["zone", "tenth", "zone and tenth", "length"]


def pipeline() -> Pipeline:
    """Return the untrained classifier of sentences, the rows of a table from `columns`.

    Source: lrec2016 §3, §4 step 1. Ambiguity: the paper names SAPIENTA, not its features or
    training. This pipeline was declared before it was scored; nothing was chosen by its accuracy.
    Labels are the same on every processor, because liblinear has no threads.
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

    A sentence has its neighbours ("" where there is none) and its heading; the zone of the paper
    (`citectx.recommendation.zones`); the tenth of the paper, 0 to 9; and its length in steps of six
    words, up to 11.

    >>> from citectx.corpora.coresc import Sentence
    >>> title, rest = Sentence("On cells", "title"), Sentence("They rest.", heading="Results")
    >>> columns([Paper("p", (title, rest))]).iloc[1].to_dict()  # doctest: +NORMALIZE_WHITESPACE
    {'text': 'They rest.', 'before': 'On cells', 'after': '', 'heading': 'Results',
     'zone': 'results', 'tenth': 5, 'zone and tenth': 'results 5', 'length': 0}
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
