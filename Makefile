# Every target starts from a fresh clone: Python 3.11+ and make are all that is needed.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
READY  := $(VENV)/.ready
LEAN   := $(VENV)/.lean
BUNDLE := src/evolore/server/pages/assets/pages.css
SITE   := build/site
ZENSICAL := build/docs/.ready
CHECKS := formatting lint types layers dependencies
# The coverage of the core is measured by its own tests and a few that ask it whole: all else takes half as long again where it is traced, so that tests/conftest.py does without.
CORE   := domain text chunking recall
TRACED := $(CORE:%=src/evolore/%) $(addprefix tests/,$(CORE) answers chat episodes evolution queries) \
	$(patsubst %,tests/flows/test_%.py,also answer check_chunks intent recall reranking shape standing)
# The same commit gives the same result twice: of examples (tests/conftest.py), the order of tests and that of sets. What explores runs in test-long.
QUICK  := -m "not long" --randomly-seed=1 --durations=30
LOCK   := $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header \
	--no-strip-extras # else pip takes a newer release for an extra
PYTEST := OMP_NUM_THREADS=1 PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest -q -n auto --dist worksteal

.PHONY: setup demo demo-check docs test test-long coverage crash check $(CHECKS) release-check lock clean

setup: $(BUNDLE)

$(READY): requirements.lock
$(LEAN): requirements-runtime.lock # a fifth of what is downloaded for the tests
$(READY) $(LEAN):
	@$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "Evolore needs Python 3.11 or newer; this is " + sys.version.split()[0] + ". Name another one: make PYTHON=python3.12 setup")'
	@[ ! -L $(VENV) ] || { echo "$(VENV) is a link, and would be emptied: remove the link, or name a folder: make VENV=build/venv setup"; exit 1; }
	@echo "Preparing .venv from $<"
	@$(PYTHON) -m venv --clear $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check "pip>=25.1" # older ones take twice as long
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile --require-hashes -r $<
	@[ $@ = $(LEAN) ] || $(BIN)/python -m compileall -qq -j 0 $(VENV)/lib src || true # on all cores, which pip does on one; templates do not compile
	@touch $@

$(BUNDLE): $(READY) hatch_build.py $(wildcard frontend/*.*)
	@echo "Bundling what the pages are drawn with"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .

demo demo-check: $(if $(wildcard $(READY)),setup,$(LEAN))
	@PYTHONPATH=src $(BIN)/python demo/run.py $(CHECK)

demo-check: CHECK := --check

$(ZENSICAL): pyproject.toml
	@echo "Preparing build/docs with what the site is made by"
	@$(PYTHON) -m venv --clear $(dir $@)
	@$(dir $@)bin/python -m pip install --quiet --disable-pip-version-check "pip>=25.1" # older ones know no groups
	@$(dir $@)bin/python -m pip install --quiet --disable-pip-version-check --group docs
	@touch $@

docs: $(ZENSICAL)
	@$(dir $<)bin/zensical build --clean --strict
	@echo "The site is in $(SITE). Read it: python3 -m http.server --bind 127.0.0.1 --directory $(SITE)"

test: setup
	@PYTHONHASHSEED=0 TRACED="$(TRACED)" $(PYTEST) $(QUICK) $(CORE:%=--cov=evolore.%) --cov-report=
	@$(BIN)/python -m coverage report --fail-under=95

test-long: setup
	@$(PYTEST) --hypothesis-profile=long
	@PYTHONPATH=tests $(PYTEST) --hypothesis-profile=quick -p store.on_postgres tests/store # once more, on a server of the tests' own
	@PYTHONPATH=tests EVOLORE_POSTGRES_ROLE=evolore_app $(PYTEST) --hypothesis-profile=quick -p store.on_postgres tests/store # what erases, as a role that owns nothing

coverage: setup
	@$(PYTEST) --cov --cov-report=term

crash: setup
	@PYTHONPATH=tests OMP_NUM_THREADS=1 $(BIN)/python -m crash.rounds 100
	@PYTHONPATH=tests OMP_NUM_THREADS=1 $(BIN)/python -m crash.asking 50
	@PYTHONPATH=tests OMP_NUM_THREADS=1 $(BIN)/python -m crash.evolving_kills 100
	@PYTHONPATH=tests OMP_NUM_THREADS=1 $(BIN)/python -m crash.canary_kills 84
	@PYTHONPATH=tests OMP_NUM_THREADS=1 $(BIN)/python -m crash.job_kills 100

check: $(CHECKS)

formatting: setup
	@$(BIN)/ruff format --check .

lint: setup
	@$(BIN)/ruff check .

types: setup
	@$(BIN)/basedpyright

layers: setup
	@$(BIN)/lint-imports --no-cache

dependencies: setup
	@$(BIN)/deptry .

release-check: setup
	@$(BIN)/python release/check.py

lock:
	@$(BIN)/python -m pip install --quiet uv
	@$(LOCK) --group dev pyproject.toml --output-file requirements.lock
	@$(LOCK) --constraint requirements.lock --no-annotate pyproject.toml --output-file requirements-runtime.lock

clean:
	@rm -rf $(VENV) $(dir $(BUNDLE)) frontend/node_modules .pytest_cache .ruff_cache .import_linter_cache build dist .coverage*
