"""Tables -> text, one writer a file. Knows nothing of measures or files."""
