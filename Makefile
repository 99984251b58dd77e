# Every target starts from a fresh clone: Python 3.11+ and make are all that is needed.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
READY  := $(VENV)/.ready

.PHONY: setup demo test crash check lock clean

setup: $(READY)

$(READY): requirements.lock
	@$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "Evolore needs Python 3.11 or newer; this is " + sys.version.split()[0] + ". Name another one: make PYTHON=python3.12 setup")'
	@echo "Preparing .venv from requirements.lock"
	@$(PYTHON) -m venv --clear $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@touch $(READY)

demo: setup
	@$(BIN)/python demo/run.py

test: setup
	@OMP_NUM_THREADS=1 $(BIN)/python -m pytest -q -n auto --dist worksteal --cov --cov-report=term
	@$(BIN)/python -m coverage report --fail-under=95 --skip-covered \
		--include='src/evolore/domain/*,src/evolore/text/*,src/evolore/chunking/*,src/evolore/recall/*'

crash: setup
	@PYTHONPATH=tests OMP_NUM_THREADS=1 $(BIN)/python -m crash.rounds 100
	@PYTHONPATH=tests OMP_NUM_THREADS=1 $(BIN)/python -m crash.asking 50
	@PYTHONPATH=tests OMP_NUM_THREADS=1 $(BIN)/python -m crash.evolving_kills 100
	@PYTHONPATH=tests OMP_NUM_THREADS=1 $(BIN)/python -m crash.canary_kills 84

check: setup
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/basedpyright
	@$(BIN)/lint-imports --no-cache
	@$(BIN)/deptry .

lock:
	@$(BIN)/python -m pip install --quiet uv
	@$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header \
		--group dev pyproject.toml --output-file requirements.lock

clean:
	@rm -rf $(VENV) .pytest_cache .ruff_cache .import_linter_cache build dist .coverage*
