"""One file: rows are the truth, full text and vectors its shadows, all in one transaction."""
