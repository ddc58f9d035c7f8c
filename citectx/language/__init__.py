"""Language: sentences, words, candidate spans, idf, noun phrases, and sentences that cite."""
