"""Every claim of lrec2016, in our wording; the numbers that it prints are in ``published/``.

Duma, Liakata, Clare, Ravenscroft, Klein 2016: "Applying Core Scientific Concepts to Context-Based
Citation Recommendation".

Names in this file are the contract for the experiments' tables: a row is a `method`, a column a
`metric`.

lrec2016_figure3  a row for each class of citing sentence. fold 1 ... mean, sd: improvements over
                  equal weights in percent; "minus sd" is there because a trend is asked for as a
                  rise. NDCG is between 0 and 1, scored citation by citation; "NDCG fold 1" ... are
                  those of one fold, "NDCG <class>" of its fold that training helps least. "<class>
                  baseline" is equal weights; "all" pools the classes. "shuffled labels" and the
                  like are levels under other labels.
lrec2016_figure4  a row for each class and fold: weights, NDCG as 1/ln(rank + 1), accuracy as a
                  fraction. Rows "field <class>" say how often the field's weight stays above 0.
lrec2016_coresc   accuracy of the classifier in percent; the corpora are ART and CRA. The two
                  accuracies in the text are those of SAPIENTA, another classifier, over ART and
                  over a corpus that is not named.

Not listed: the twelve weights printed for Bac, fold 1, in the text that we have, where eleven are
expected; that a weight of 0 means harm (hill climbing keeps a change only if it helps, so this
holds by construction); and that SAPIENTA is better on a new corpus than in cross-validation, which
compares two corpora.
"""

from citectx.ledger.claim import TAU_ALONE, Claim, Limit, better, correlates, lower

OTHER_FIELDS = (
    "field Con",
    "field Exp",
    "field Goa",
    "field Hyp",
    "field Mod",
    "field Mot",
    "field Obj",
    "field Obs",
    "field Res",
)

COMPARISONS = {"lrec2016_figure3": better("Bac", "Bac baseline", "NDCG", percent="mean")}
"""What each table is about, over each baseline that the paper names."""

PERCENT = ("lrec2016_figure3",)
"""Tables whose effects carry over in percent of the rival."""

SHUFFLED = ("shuffled labels", "shuffled labels baseline")
CLEAR = 9.4
"""The smallest mean gain, in percent, of a class that improves in all folds of Figure 3 (Con)."""

OF_WEIGHTS = "It describes the weights that training finds, not how well they recommend."
OF_COUNTS = "It compares counts over the whole collection, which no control row has."

FOLDS = tuple(f"NDCG fold {i}" for i in (1, 2, 3, 4))
FREQUENT = ("Bac", "Con", "Exp", "Met", "Mod", "Obs", "Res")
"""Classes with 50 citations or more here."""


def improves(kind: str) -> Claim:
    """Claim that training helps a class in every fold, as Figure 3 has it in bold."""
    return Claim(
        f"{kind.lower()}-improves",
        "Section 6 and Figure 3",
        f"In all four folds trained weights recommend better than equal ones in {kind} sentences.",
        "lrec2016_figure3",
        better(kind, f"{kind} baseline", FOLDS, percent="mean"),
        post_hoc=(
            better(kind, f"{kind} baseline", "NDCG", minus=SHUFFLED, among=kind),
            better(kind, "one field", "NDCG", among=kind),
            better(kind, "fields of equal length", "NDCG", among=kind),
        ),
    )


EXPLORED = "citation-integrity-fulltext"
"""The corpus on which claims and code grew up."""

CONFIRMED = {"": "citation-integrity-fulltext-1000"}
"""The corpus that a table was declared for before it was run there; "" for all other tables."""

SECOND: dict[str, str] = {}
"""The corpus of a second domain, declared before any method was run there; as `CONFIRMED`."""

LIMITS = (
    Limit(
        "a class is cut at 700 citations, as in the paper, so the table does not count them",
        claims=("most-citations-are-bac-or-met",),
    ),
    Limit(
        "fewer citing sentences of this class than folds",
        corpora=("citation-integrity-fulltext",),
        rows=(
            *("Goa", "Goa baseline", "Goa fold 4"),
            *("Hyp", "Hyp baseline", "Mot", "Mot baseline"),
        ),
    ),
    Limit(
        "fewer than 50 citations in sentences of this class",
        corpora=("citation-integrity-fulltext",),
        claims=("obj-improves",),
    ),
)

# What the paper says in words, in the order in which it says it. A claim over several rows is
# decided by the rule that its sentence has: each ("both"), or most (a plain plural).
#
# Controls: what training gives whatever the classes are, an index without classes or of slices of
# equal length, and the weights of the other classes. Those of single classes look at the citations
# of the class alone; that the claims are about all folds, their check says.
#
# Where the paper prints no effect, half of `CLEAR` is the margin of "absent".
CLAIMS = (
    Claim(
        "weights-help",
        "Sections 4 and 7",
        "Weights trained for the class of the citing sentence raise the relevance of "
        "recommendations.",
        "lrec2016_figure3",
        better("all", "all baseline", "NDCG", least=CLEAR),
        headline=True,
        controls=(
            better("all", "all baseline", "NDCG", minus=SHUFFLED),
            better("all", "one field", "NDCG"),
            better("all", "fields of equal length", "NDCG"),
        ),
    ),
    # The paper only cross-validates; the control with random classes is ours.
    Claim(
        "not-a-random-effect",
        "Sections 5 and 6",
        "Trained weights on the classes of sentences recommend better than trained "
        "weights on random classes.",
        "lrec2016_figure3",
        better("all", "shuffled labels", "NDCG", least=CLEAR),
        ours=True,
        controls=(better("all", "one field", "NDCG"),),
    ),
    Claim(
        "weights-depend-on-the-citing-class",
        "Section 4",
        "Weights for the class of the citing sentence recommend better than one set of "
        "weights for all.",
        "lrec2016_figure3",
        better("by class", "one vector", "NDCG", least=CLEAR),
        headline=True,
        controls=(better("by class", "other classes", "NDCG"),),
    ),
    *map(improves, ("Bac", "Con", "Goa", "Met", "Obj", "Res")),
    # Each class is judged by its fold that training helps least. Goa, Hyp, Mot and Obj
    # have fewer than 50 citations here; in the paper four of the seven others improve.
    Claim(
        "most-classes-improve-in-every-fold",
        "Section 6 and Figure 3",
        "Six of the eleven classes improve in all folds, more than half of them.",
        "lrec2016_figure3",
        better(
            "all",
            "all baseline",
            tuple(f"NDCG {kind}" for kind in FREQUENT),
            rule="most",
            least=CLEAR,
        ),
        post_hoc=(
            better("all", "all baseline", "NDCG", minus=SHUFFLED),
            better("all", "one field", "NDCG"),
            better("all", "fields of equal length", "NDCG"),
        ),
    ),
    # Hyp, too, in the paper; here it has hardly any citations.
    Claim(
        "four-classes-are-inconsistent",
        "Section 6 and Figure 3",
        "For citations in Exp, Hyp, Mod and Obs sentences fewer folds improve than for "
        "the six other classes.",
        "lrec2016_figure3",
        lower(
            ("Exp", "Mod", "Obs"),
            ("Bac", "Con", "Goa", "Met", "Obj", "Res"),
            "folds improved",
            rule="most",
        ),
        no_control=OF_COUNTS,
    ),
    Claim(
        "larger-classes-improve",
        "Section 6",
        "The more citations a class has, the more of its folds improve.",
        "lrec2016_figure3",
        correlates(
            "folds improved",
            "citations",
            across=("Con", "Bac", "Met", "Res", "Goa", "Obj", "Mod", "Obs", "Exp"),
        ),
        no_control=TAU_ALONE,
    ),
    Claim(
        "steadier-with-more-citations",
        "Section 6",
        "The more citations a class has, the less its improvement varies between folds.",
        "lrec2016_figure3",
        correlates(
            "minus sd", "citations", across=("Con", "Bac", "Met", "Res", "Obj", "Mod", "Obs", "Exp")
        ),
        no_control=TAU_ALONE,
    ),
    Claim(
        "most-citations-are-bac-or-met",
        "Section 6",
        "Background and Method sentences hold more citations than those of any other class.",
        "lrec2016_figure3",
        better(
            ("Bac", "Met"),
            ("Con", "Res", "Goa", "Obj", "Mod", "Obs", "Exp", "Hyp", "Mot"),
            "citations",
        ),
        no_control=OF_COUNTS,
    ),
    Claim(
        "bac-and-met-are-useful-throughout",
        "Section 6",
        "Whatever the class of the citation, Background and Method sentences of the "
        "cited article are worth keeping.",
        "lrec2016_figure4",
        better(("field Bac", "field Met"), OTHER_FIELDS, "kept", rule="most"),
        no_control=OF_WEIGHTS,
    ),
    Claim(
        "mot-and-obs-are-better-ignored",
        "Section 6",
        "Motivation and Observation sentences of the cited article are better left out "
        "than Background and Method.",
        "lrec2016_figure4",
        lower(("field Mot", "field Obs"), ("field Bac", "field Met"), "kept"),
        no_control=OF_WEIGHTS,
    ),
    Claim(
        "results-cite-background-results-observations",
        "Section 6",
        "For citations in Results, Background, Results and Observations of the cited "
        "article are worth keeping.",
        "lrec2016_figure4",
        better(
            ("field Bac", "field Res", "field Obs"),
            (
                "field Con",
                "field Exp",
                "field Goa",
                "field Hyp",
                "field Met",
                "field Mod",
                "field Mot",
                "field Obj",
            ),
            "kept for Res",
            rule="most",
        ),
        no_control=OF_WEIGHTS,
    ),
    Claim(
        "observations-less-than-results",
        "Section 6",
        "For citations in Results, Observations are kept less often than Background and Results.",
        "lrec2016_figure4",
        lower("field Obs", ("field Bac", "field Res"), "kept for Res"),
        no_control=OF_WEIGHTS,
    ),
    # The paper judges by eye; noise here is the same training on random classes.
    Claim(
        "folds-agree-on-weights",
        "Sections 6 and 7",
        "The weights found in the four folds agree more than noise would.",
        "lrec2016_figure4",
        better("CoreSC", "shuffled labels", "agreement"),
        ours=True,
        no_control="Its rival, training on shuffled labels, is the control.",
    ),
)
