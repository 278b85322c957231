"""Our own commands, one a file, imported when called. click lives here and nowhere else."""
