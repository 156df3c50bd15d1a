"""One script per claim of the documentation; each prints its ratio against a named peer or floor."""
