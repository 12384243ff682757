# Everything a developer types. Needs Python 3.11 or newer, git and make; each target sets up .venv itself.
#   make PYTHON=python3.13 test          another interpreter for a new .venv
#   make test PYTEST_ARGS='-k overlap'   more arguments for pytest

PYTHON ?= python3
VENV ?= .venv
PYTEST_ARGS ?=
NETWORK ?= --force-enable-socket
TIKTOKEN_CACHE := .cache/tiktoken

BIN := $(VENV)/bin
PYTEST := $(BIN)/python -m pytest
BENCHMARKS := integration_tests/benchmarks

.DEFAULT_GOAL := help
.PHONY: help demo test lint format integration_test bench docs clean
.PHONY: integration_test_models integration_test_engines integration_test_pathway
# Two targets must not install into one .venv at the same time.
.NOTPARALLEL:

help: ## list the targets
	@grep -hE '^[a-z_]+:.*## ' Makefile | awk -F ':.*## ' '{printf "  make %-25s %s\n", $$1, $$2}'

demo: $(VENV)/.installed-demo ## split real documents with several splitters and show the chunks
	@$(BIN)/python -m langchain_chunkers.offline $(TIKTOKEN_CACHE)
	@TIKTOKEN_CACHE_DIR=$(TIKTOKEN_CACHE) $(BIN)/python -m langchain_chunkers.demo

test: $(VENV)/.installed-dev ## tests, doctests and the code blocks of the docs; no network
	$(PYTEST) -n auto $(PYTEST_ARGS)

lint: $(VENV)/.installed-dev ## ruff and mypy
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy --strict langchain_chunkers

format: $(VENV)/.installed-dev ## let ruff mend what it can
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

integration_test: $(VENV)/.installed-integration ## real stores, models and peers; the network is open
	$(PYTEST) integration_tests --ignore=$(BENCHMARKS) $(NETWORK) -W default $(PYTEST_ARGS)

integration_test_models: ## real models: torch and MiniLM, in an environment of their own
	$(MAKE) VENV=.venv-models .venv-models/.installed-models
	.venv-models/bin/python -m pytest integration_tests/test_real_models.py $(NETWORK) -W default $(PYTEST_ARGS)

integration_test_engines: ## Ray, Spark (needs Java) and Dask, in an environment of their own
	$(MAKE) VENV=.venv-engines .venv-engines/.installed-engines
	.venv-engines/bin/python -m pytest integration_tests/engines $(NETWORK) -W default $(PYTEST_ARGS)

integration_test_pathway: ## Pathway, in an environment of its own
	$(MAKE) VENV=.venv-pathway .venv-pathway/.installed-pathway
	.venv-pathway/bin/python -m pytest integration_tests/pathway $(NETWORK) -W default $(PYTEST_ARGS)

bench: $(VENV)/.installed-integration ## this package beside its peers, in one run
	$(PYTEST) $(BENCHMARKS) -s -p no:randomly -W default $(PYTEST_ARGS)

docs: $(VENV)/.installed-dev ## every code block of the docs runs, every relative link leads somewhere
	$(PYTEST) tests/test_docs.py $(PYTEST_ARGS)

clean: ## remove .venv, caches and build products
	rm -rf $(VENV) .venv-* .cache .hypothesis .mypy_cache .pytest_cache .ruff_cache build dist *.egg-info
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# A change of pyproject.toml or of constraints.txt installs again; else the second run starts at once.
$(VENV)/.installed-demo: EXTRAS = demo
$(VENV)/.installed-dev: EXTRAS = test,lint
$(VENV)/.installed-integration: EXTRAS = integration
# Large packages, whose own pins would hold the others back: without the constraints.
.venv-models/.installed-models: ALONE = test models
.venv-engines/.installed-engines: ALONE = test daft ray spark dask
.venv-pathway/.installed-pathway: ALONE = test pathway
.venv-models/.installed-models .venv-engines/.installed-engines .venv-pathway/.installed-pathway: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check $(foreach extra,$(ALONE),-e '.[$(extra)]')
	@touch $@

$(VENV)/.installed-%: pyproject.toml constraints.txt | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[$(EXTRAS)]' -c constraints.txt
	@touch $@

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.version_info >= (3, 11) or sys.exit("Python 3.11 or newer is needed: make PYTHON=python3.11")'
	$(PYTHON) -m venv $(VENV)
