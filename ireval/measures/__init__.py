"""What a measure is, and all of them: one family a file. Imports core, nothing else of ireval."""
