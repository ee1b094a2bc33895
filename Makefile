# `make demo` and `make test` do everything from a bare checkout: virtual environment, installation, run.
# EXTRAS adds optional dependencies to the test environment: make test EXTRAS=dev,hub

PYTHON ?= python3.11
EXTRAS ?= dev
RESULTS ?= leaderboard
VENV := .venv
BIN := $(VENV)/bin
MARNN := $(BIN)/marnn-bench
PYTEST := $(BIN)/python -m pytest -q -n auto

.PHONY: demo test test-all check format docs site dist golden perf clean

demo: $(VENV)/installed-demo
	$(MARNN) generate --task dyck2 --out demo/data
	$(MARNN) train stack-rnn --task dyck2 --data demo/data --runs 10 --out demo/stack-rnn --overwrite
	$(MARNN) train lstm --task dyck2 --data demo/data --runs 10 --out demo/lstm --overwrite
	$(MARNN) eval demo/stack-rnn --task dyck2 --data demo/data --out demo/stack-rnn-result --overwrite
	$(MARNN) eval demo/lstm --task dyck2 --data demo/data --out demo/lstm-result --overwrite
	$(MARNN) leaderboard show demo/stack-rnn-result demo/lstm-result --plot demo/accuracy.png
	@echo
	@echo "The picture is demo/accuracy.png. Next, your own model: write predict(prefix) into my_model.py, then"
	@echo "    $(MARNN) check my_model.py --task dyck2"
	@echo "    $(MARNN) eval my_model.py --task dyck2 --out demo/mine"

test: check
	$(PYTEST) -m "not slow"

test-all: check
	$(PYTEST)

check: $(VENV)/installed-$(EXTRAS)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/python tools/link_tree.py
	$(BIN)/mypy

format: $(VENV)/installed-$(EXTRAS)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# What is generated in the documentation: the pages and pictures of tasks and rooms, the README's table, those of baselines.
docs: $(VENV)/installed-$(EXTRAS)
	$(BIN)/python -m marnn_bench.gallery docs
	$(BIN)/python tools/architecture.py
	$(BIN)/python tools/readme.py
	$(BIN)/python tools/reproduced.py
	$(BIN)/python tools/traced.py
	$(BIN)/python tools/api.py
	$(BIN)/python tools/quickstart.py

# The leaderboard of RESULTS with the documentation, as static pages in build/site.
site: $(VENV)/installed-$(EXTRAS)
	$(BIN)/python -m sphinx -q -W docs build/docs
	$(MARNN) leaderboard build --results $(RESULTS) --docs build/docs --out build/site --overwrite

# A source archive and a wheel in dist/, of which the wheel is tried in an empty environment.
dist: $(VENV)/installed-$(EXTRAS)
	rm -rf dist build/empty
	$(BIN)/python -m build -q --no-isolation
	$(PYTHON) -m venv build/empty
	build/empty/bin/pip install -q dist/*.whl
	cd build && empty/bin/marnn-bench generate --task tomita5 --out empty/data && empty/bin/marnn-bench verify empty/data

# The digests of all released splits; an old line that changes is a new major version of its task.
golden: $(VENV)/installed-$(EXTRAS)
	$(BIN)/python tools/golden.py

perf: $(VENV)/installed-$(EXTRAS)
	for script in perf/*.py; do $(BIN)/python $$script; done

clean:
	rm -rf $(VENV) build dist demo *.egg-info

$(VENV)/installed-demo: pyproject.toml
	test -d $(VENV) || $(PYTHON) -m venv $(VENV)
	$(BIN)/pip install -q -e '.[baselines,report]'
	touch $@

$(VENV)/installed-%: pyproject.toml
	test -d $(VENV) || $(PYTHON) -m venv $(VENV)
	$(BIN)/pip install -q -e '.[$*]'
	touch $@
