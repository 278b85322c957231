"""The doors of the tools that ireval replaces: their arguments -> our request -> our core -> their output."""
