"""Language: sentences, words, candidate spans, idf, noun phrases, and sentences that cite.

NLTK is imported inside the functions that need it: it loads scipy.stats, scikit-learn and
matplotlib, which takes more than a second.
"""
