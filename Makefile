# ireval: `make help` lists what can be made. Everything installs what it needs into .venv.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

.PHONY: help demo test lint bench docs fuzz coverage clean

help: ## show this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "  make %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

$(STAMP): pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@

demo: $(STAMP) ## install and evaluate the bundled sample
	$(BIN)/ireval eval testdata/sample/qrels testdata/sample/bm25.run testdata/sample/splade.run \
	  testdata/sample/colbert.run -m AP -m nDCG@10 -m P@10 -m RR --signature

test: $(STAMP) ## run every test
	$(BIN)/python -m pytest

lint: $(STAMP) ## ruff and mypy
	$(BIN)/ruff check .
	$(BIN)/ruff format --check --quiet .
	$(BIN)/mypy

docs: $(STAMP) ## write the man pages and the README's tables from the registries
	$(BIN)/python tools/make_docs.py

bench: $(STAMP) ## measure speed and memory against peers (TREC_EVAL, NDEVAL=path add these)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check pytrec_eval-terrier
	$(BIN)/python bench/bench.py

fuzz: $(STAMP) ## compare with the originals on random worlds (TREC_EVAL, TREC_EVAL_9, NTCIR_EVAL, NTCIR_EVAL_190111, NDEVAL, GDEVAL=path)
	$(BIN)/python tests/fuzz_trec_eval.py
	$(BIN)/python tests/fuzz_ntcir_eval.py
	$(BIN)/python tests/fuzz_web_track.py

coverage: $(STAMP) ## run the tests and show which lines they reach
	$(BIN)/coverage run -m pytest
	$(BIN)/coverage report --include='ireval/*'

clean: ## remove what was built
	rm -rf $(VENV) build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .coverage
