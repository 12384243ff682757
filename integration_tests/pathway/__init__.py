"""Pathway: real pipelines, in an environment of their own (`make integration_test_pathway`)."""
