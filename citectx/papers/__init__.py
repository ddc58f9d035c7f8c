"""One folder a paper: its claims, its published numbers, one file for each table or figure."""
