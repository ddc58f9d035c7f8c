"""Language: sentences, words, candidate spans, idf, noun phrases and the sentences that cite an article."""
