"""Every claim of naacl2015, in our wording; the numbers that it prints are in ``published/``.

Cohan, Soldaini, Goharian 2015: "Matching Citation Text and Cited Spans in Biomedical Literature: a
Search-Oriented Approach".

Names in this file are the contract for the experiments' tables: a row is a `method`, a column a
`metric`. The paper's UMLS-reduce and UMLS-expand are called reduce and expand, whatever vocabulary
they use.

naacl2015_table1  count: citances on a level of agreement; share: the same in percent of all, per
                  citance 100 or 0; overlap and its standard deviation in percent. "majority or
                  more" is full, all and majority together, "below majority" minority and none,
                  "total" all five.
naacl2015_table2  fractions, as in the paper: means over topics, scored citance by citance.
naacl2015_models  the same for the unmodified query in four retrieval models.

In Table 2 stars mark significance against the baseline, and changes over it are in parentheses. In
the text the gain of the best combination is 25 or 25.9 %, where the two values of the table give
25.6 %; that more than 60 % of the citances have a majority follows from its counts (60.4 %).

Not listed, as there is nothing to compare: that annotators agree little and that all scores are
low (against no standard).
"""

from citectx.ledger.claim import (
    NO_DIFFERENCE,
    OF_A_LOSS,
    Claim,
    Limit,
    alike,
    best_of,
    better,
    lower,
)

COMBINED = ("reduce+expand", "NP+expand")
FEWER_NP = better("NP", "random words", "F-1")
FEWER_KW = better("KW", "random words (KW)", "F-1")
OTHER_NAMES = better("NP+expand", "NP+random names", "F-1")
"""Controls: as many words of the citance at random, as many names of other concepts."""

FEWER_EACH = ("random words", "random words (KW)")
FEWER_EACH_TURNED = ("random words (KW)", "random words")
"""Controls with as many random words as NP and KW keep; their difference is that of two lengths."""

QUERIES = ("naacl2015_table2", "naacl2015_controls")
"""Table 2 and controls that were added later, in a table of their own."""

CLEAR = 2.6
"""The smallest gain in F-1 that Table 2 marks as significant (expand), in percent."""

OF_PEOPLE = "It counts what annotators did; none of them marked sentences at random."

SINGLE = ("baseline", "reduce", "KW", "NP", "expand")

COMPARISONS = {"naacl2015_table2": better("NP+expand", "baseline", "F-1")}
"""What each table is about, over each baseline that the paper names."""

PERCENT = ("naacl2015_models", "naacl2015_table2")
"""Tables whose effects carry over in percent of the rival."""

EXPLORED = "citation-integrity"
"""The corpus on which claims and code grew up."""

CONFIRMED = {"": "citation-integrity-31", "naacl2015_table1": "scisumm-gold"}
"""The corpus that a table was declared for before it was run there; "" for all other tables."""

SECOND: dict[str, str] = {}
"""The corpus of a second domain, declared before any method was run there; as `CONFIRMED`."""

LIMITS = (
    Limit(
        "there is no ontology of this corpus's domain",
        corpora=("scisumm-train", "scisumm-gold"),
        rows=("reduce", "expand", "reduce+expand", "NP+expand"),
    ),
    Limit(
        "two of three annotators are a majority",
        corpora=("scisumm-gold",),
        claims=("full-agreement-is-rare", "three-or-two-of-four-agree"),
    ),
    Limit(
        "no citance of this corpus is on that level",
        corpora=("scisumm-gold",),
        rows=("all",),
    ),
)

# What the paper says in words, in the order in which it says it. Where it says "similar" or
# "comparable" without a margin, `within` is the smallest change in that measure that Table 2 marks
# as significant: 0.004 in F-1, 0.026 in precision. Where the paper prints no effect, half of that
# gain is the margin of "absent"; for shares of citances, half of the difference between the counts
# of Table 1.
CLAIMS = (
    Claim(
        "reformulations-help",
        "Abstract, Sections 4 and 5",
        "Most ways to reformulate the citance find better spans than the citance as it is.",
        "naacl2015_table2",
        better(
            ("reduce", "KW", "NP", "expand", "reduce+expand", "NP+expand"),
            "baseline",
            "F-1",
            rule="most",
        ),
        headline=True,
        controls=(FEWER_NP, FEWER_KW),
    ),
    Claim(
        "combinations-beat-singles",
        "Sections 1 and 4",
        "The two combined reformulations are better than the baseline and than every "
        "single reformulation.",
        "naacl2015_table2",
        better(COMBINED, SINGLE, "F-1"),
        headline=True,
        controls=(OTHER_NAMES,),
    ),
    Claim(
        "models-are-alike",
        "Section 2.2",
        "The four retrieval models perform alike; no difference between them is significant.",
        "naacl2015_models",
        alike(("VSM", "BM25", "DFR", "LMD"), ("VSM", "BM25", "DFR", "LMD"), "F-1", within=0.004),
        no_control=NO_DIFFERENCE,
    ),
    Claim(
        "dfr-is-worst",
        "Section 2.2",
        "Divergence from randomness is constantly below the other three retrieval models.",
        "naacl2015_models",
        lower("DFR", ("VSM", "BM25", "LMD"), "F-1", least=CLEAR),
        no_control=OF_A_LOSS,
    ),
    Claim(
        "reduce-first-then-expand",
        "Section 2.3.6",
        "Expanding the whole citance makes the query drift, so reducing it first gives "
        "better spans.",
        "naacl2015_table2",
        better(COMBINED, "expand", "F-1"),
        post_hoc=(better(COMBINED, "random words", "F-1"),),
    ),
    Claim(
        "feedback-is-below-baseline",
        "Section 2.4",
        "Pseudo-relevance feedback is substantially worse than the baseline.",
        "naacl2015_table2",
        lower("feedback", "baseline", "F-1", least=CLEAR),
        no_control=OF_A_LOSS,
    ),
    Claim(
        "wikipedia-filter-is-below-baseline",
        "Section 2.4",
        "Keeping only the biomedical terms that Wikipedia knows is substantially worse "
        "than the baseline.",
        QUERIES,
        lower("Wikipedia filter", "baseline", "F-1", least=CLEAR),
        post_hoc=(lower("Wikipedia filter", "random words (Wikipedia filter)", "F-1"),),
    ),
    Claim(
        "full-agreement-is-rare",
        "Section 3 and Table 1",
        "Next to no citance has the same evidence from all annotators; any partial "
        "agreement is more frequent.",
        "naacl2015_table1",
        lower("full", ("all", "majority", "minority"), "share", least=20.4),
        no_control=OF_PEOPLE,
    ),
    Claim(
        "three-or-two-of-four-agree",
        "Section 3 and Table 1",
        "On most citances a majority or a minority of the annotators, rather than all "
        "or none, share evidence.",
        "naacl2015_table1",
        better(("majority", "minority"), ("full", "all", "none"), "share", least=15.0),
        no_control=OF_PEOPLE,
    ),
    Claim(
        "reduce-is-below-baseline",
        "Section 4",
        "Keeping only biomedical concepts gives a lower F-1 than the baseline.",
        QUERIES,
        lower("reduce", "baseline", "F-1"),
        post_hoc=(lower("reduce", "random words (reduce)", "F-1"),),
    ),
    Claim(
        "np-keeps-what-reduce-loses",
        "Section 4",
        "Noun phrases keep the supporting expressions that a reduction to concepts throws away.",
        "naacl2015_table2",
        better("NP", "reduce", "recall"),
        post_hoc=(better("NP", "random words", "recall"),),
    ),
    Claim(
        "np-beats-baseline",
        "Section 4",
        "Noun phrases are better than the baseline.",
        "naacl2015_table2",
        better("NP", "baseline", "F-1"),
        controls=(FEWER_NP,),
    ),
    Claim(
        "kw-beats-baseline",
        "Section 4",
        "Key terms, chosen by their idf, are better than the baseline in F-1 and in ROUGE-L.",
        "naacl2015_table2",
        better("KW", "baseline", "F-1"),
        controls=(FEWER_KW,),
    ),
    Claim(
        "kw-is-more-precise-than-np",
        "Section 4",
        "Key terms are more precise than noun phrases.",
        "naacl2015_table2",
        better("KW", "NP", "precision"),
        post_hoc=(better("KW", "NP", "precision", minus=FEWER_EACH_TURNED),),
    ),
    Claim(
        "np-recalls-more-than-kw",
        "Section 4",
        "Noun phrases recall more than key terms.",
        "naacl2015_table2",
        better("NP", "KW", "recall"),
        post_hoc=(better("NP", "KW", "recall", minus=FEWER_EACH),),
    ),
    Claim(
        "expand-recalls-more",
        "Section 4",
        "Adding synonyms recalls significantly more than the baseline.",
        QUERIES,
        better("expand", "baseline", "recall"),
        post_hoc=(better("expand", "random names", "recall"),),
    ),
    Claim(
        "expand-is-no-more-precise",
        "Section 4",
        "Adding synonyms is only about as precise as the baseline, as no noisy term goes.",
        "naacl2015_table2",
        alike("expand", "baseline", "precision", within=0.026),
        no_control=NO_DIFFERENCE,
    ),
    Claim(
        "expand-finds-similar-text",
        "Section 4",
        "Adding synonyms is far more precise than the baseline by ROUGE-L, although not "
        "by offsets.",
        QUERIES,
        better("expand", "baseline", "RL-precision"),
        post_hoc=(better("expand", "random names", "RL-precision"),),
    ),
    Claim(
        "reduce-expand-recalls-most",
        "Section 4",
        "Concepts with their synonyms have the highest recall of all.",
        QUERIES,
        better(
            "reduce+expand",
            best_of(("baseline", "reduce", "KW", "NP", "expand", "NP+expand")),
            "recall",
        ),
        post_hoc=(better("reduce+expand", "reduce+random names", "recall"),),
    ),
    Claim(
        "reduce-expand-is-more-precise",
        "Section 4",
        "Concepts with their synonyms are significantly more precise than the baseline.",
        QUERIES,
        better("reduce+expand", "baseline", "precision"),
        post_hoc=(better("reduce+expand", "reduce+random names", "precision"),),
    ),
    Claim(
        "np-expand-is-best",
        "Sections 4 and 5",
        "Noun phrases with synonyms are the best of all.",
        "naacl2015_table2",
        better(
            "NP+expand",
            best_of(("baseline", "reduce", "KW", "NP", "expand", "reduce+expand")),
            "F-1",
        ),
        post_hoc=(OTHER_NAMES,),
    ),
    Claim(
        "np-expand-beats-baseline",
        "Sections 4 and 5",
        "Noun phrases with synonyms are significantly better than the baseline.",
        "naacl2015_table2",
        better("NP+expand", "baseline", "F-1"),
        controls=(OTHER_NAMES,),
    ),
    # In Table 2 synonyms cost noun phrases recall (0.199 to 0.180) and add precision.
    Claim(
        "synonyms-add-to-np",
        "Section 4",
        "Synonyms of the noun phrases make it likelier still that relevant spans are found.",
        "naacl2015_table2",
        better("NP+expand", "NP", "recall"),
        post_hoc=(better("NP+expand", "NP+random names", "recall"),),
    ),
    Claim(
        "most-annotators-agree-on-most-citances",
        "Section 4",
        "On more citances than not, most annotators share at least part of the evidence.",
        "naacl2015_table1",
        better("majority or more", "below majority", "share", least=20.8),
        no_control=OF_PEOPLE,
    ),
)
