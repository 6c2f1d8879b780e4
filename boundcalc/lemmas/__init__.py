"""What is trusted: statements with their sources, and where they are sharp."""
