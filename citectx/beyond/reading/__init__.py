"""Anybody's article in XML: its text, its reference list, and the sentences that cite a work.

From the file upwards: `trees` parses, `references` compares works, `bibliography` reads what the
file tells of works, `articles` writes the text as blocks, and `citing` finds the sentences.
"""
