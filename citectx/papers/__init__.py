"""One folder per paper: claims, readings, published numbers, and a file per table or figure."""
