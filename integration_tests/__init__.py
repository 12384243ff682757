"""Tests with real stores, models, engines and peers; run by `make integration_test`."""
