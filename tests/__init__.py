"""The tests; they mirror the package, file by file."""
