"""Real vector stores: split, add, retrieve, cite, delete."""
