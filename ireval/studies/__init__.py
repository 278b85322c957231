"""What the subcommands compute from scores and rankings: numbers about measures, pools and runs."""
