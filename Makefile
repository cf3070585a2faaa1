# `make demo` and `make test` need Python 3.11 or newer and make, nothing else: they build their own .venv.
#
#   make demo     audit a survey, a query log and mined rules, weigh masking methods, write the HTML reports
#   make test     the whole test suite (ARGS="-k laws" goes to pytest)
#   make quick    what guards a change while one works: the tests without the mark `slow`, in four minutes on two cores
#   make fuzz     the laws alone, with examples drawn anew
#   make lint     style, types and import contracts
#   make bench    every benchmark, one after the other (some make tables of 30 million rows)
#   make generate write every generated file again
#   make lock     write requirements.lock, what the action and the image install (ARGS=--upgrade: newer versions)
#   make docs     build the documentation site into build/docs/site, and check its links
#   make release  build the wheel and the sdist of a commit into dist/, with their SBOM, their provenance and the digests of all
#   make picture  photograph the example report for the README (needs Chromium)
#   make recipes  install the tools of docs/recipes.md, in an environment of their own, so that their tests run
#   make clean    remove what these commands made
#
# A Python that is not called python3 is named with PYTHON=python3.12.

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check -qq
WORKERS ?= auto

.PHONY: demo test quick slow fuzz lint bench generate docs lock recipes release picture clean

demo: $(VENV)/.demo
	@$(BIN)/python reports/fair.py
	@$(BIN)/python reports/staff.py
	@$(BIN)/python reports/rules.py
	@$(BIN)/python reports/voters.py

# Python keeps what it compiles, of the tests too: their assertions are rewritten once, and not by every worker again.
PYTEST := PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest -n $(WORKERS) --maxprocesses 8 --dist loadgroup

test: $(VENV)/.test
	$(PYTEST) $(ARGS)

quick: $(VENV)/.test
	HYPOTHESIS_PROFILE=quick $(PYTEST) -q -m "not slow" $(ARGS)

slow: $(VENV)/.test
	rm -rf $(VENV)/times && mkdir $(VENV)/times
	-AUDITOR_TEST_TIMES=$(CURDIR)/$(VENV)/times HYPOTHESIS_PROFILE=quick $(PYTEST) -q -m "not slow"
	$(BIN)/python -m tests.slow $(VENV)/times

fuzz: $(VENV)/.test
	HYPOTHESIS_PROFILE=fuzz $(PYTEST) -m hypothesis $(ARGS)

lint: $(VENV)/.test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: $(VENV)/.demo
	@for script in benchmarks/[!_]*.py; do $(BIN)/python $$script || exit 1; done

# What a test proves fresh, written again: the policy's schema, the models' pages, the example reports.
generate: $(VENV)/.test
	$(BIN)/python -m auditor.policy.generate
	$(BIN)/python -m auditor.result.generate
	$(BIN)/python -m auditor.certificates.generate
	$(BIN)/python -m tests.models.pages
	$(BIN)/python -m tests.policy.pages
	$(BIN)/python -m tests.masking.pages
	$(BIN)/python -m tests.workshop.tables
	$(BIN)/python reports/fair.py --examples reports
	$(BIN)/python reports/staff.py --examples reports
	$(BIN)/python reports/rules.py --examples reports

# The pages in the order of docs/README.md, the example reports, the reference of the Python functions; nothing loaded.
docs: $(VENV)/.docs
	$(BIN)/python website/pages.py build/docs
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet --strict --config-file build/docs/mkdocs.yml
	$(BIN)/python website/links.py build/docs/site
	@echo "build/docs/site/index.html; its search needs a server: python3 -m http.server --directory build/docs/site"

# Every dependency with the digests of its files, for every version of Python, and what the build needs.
lock: $(VENV)/.test
	UV_CUSTOM_COMPILE_COMMAND="make lock" $(BIN)/uv pip compile --quiet --universal --python-version 3.11 \
	  --generate-hashes --no-annotate --extra build $(ARGS) --output-file requirements.lock pyproject.toml
	UV_CUSTOM_COMPILE_COMMAND="make lock" $(BIN)/uv pip compile --quiet --universal --python-version 3.11 \
	  --no-annotate $(ARGS) --output-file tests/recipes/requirements.txt tests/recipes/requirements.in pyproject.toml

recipes: $(VENV)/recipes/.done

# What is released: built from a commit and nothing beside it, listed, and told where it came from. DRAFT=1 builds also
# what is not ready to be released.
release: $(VENV)/.test
	@$(BIN)/python release/ready.py || { test -n "$(DRAFT)" || { echo "not ready to be released (DRAFT=1 builds it)" >&2; exit 2; }; }
	@test -z "$$(git status --porcelain)" || { echo "uncommitted changes: a release is built from a commit" >&2; exit 2; }
	rm -rf dist
	SOURCE_DATE_EPOCH="$$(git log -1 --format=%ct)" $(BIN)/python -m build --no-isolation --outdir dist .
	$(BIN)/cyclonedx-py requirements --pyproject pyproject.toml --mc-type application --output-reproducible --of JSON \
	  --sv 1.6 --output-file dist/sbom.cdx.json requirements.lock
	$(BIN)/python release/provenance.py dist > provenance.intoto.json && mv provenance.intoto.json dist/
	$(BIN)/python release/checksums.py dist

# The README's pictures of example reports, and the report whose last digits depend on the machine.
picture: $(VENV)/.demo
	$(BIN)/python reports/voters.py --examples reports
	@for name in fair voters; do \
	  chromium --headless --no-sandbox --disable-gpu --hide-scrollbars --force-device-scale-factor=1.25 \
	    --window-size=900,1130 --screenshot=reports/$$name.png file://$(CURDIR)/reports/$$name.html 2>/dev/null; \
	done

clean:
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache

# A stamp is older than pyproject.toml when the dependencies may have changed; then, and only then, pip runs again.
# The installation is editable, so that a change of the code needs no new one.
$(VENV)/.demo: pyproject.toml | $(BIN)/pip
	@echo "installing auditor and the demo's data into $(VENV) (once; about a minute)"
	@$(PIP) install --editable ".[demo]"
	@touch $@

$(VENV)/.test: pyproject.toml | $(BIN)/pip
	@echo "installing auditor and what its tests need into $(VENV) (once; about two minutes)"
	@$(PIP) install --editable ".[dev,demo,postgres,spark]"
	@$(BIN)/python -m compileall -q auditor  # tests start the command hundreds of times, also where Python writes no bytecode
	@touch $@ $(VENV)/.demo

$(VENV)/.docs: pyproject.toml | $(BIN)/pip
	@echo "installing auditor and what its documentation site needs into $(VENV) (once; under a minute)"
	@$(PIP) install --editable ".[docs]"
	@touch $@

$(VENV)/recipes/.done: tests/recipes/requirements.txt | $(VENV)/.test
	@echo "installing the tools of docs/recipes.md into $(VENV)/recipes (once; about half a minute)"
	@$(BIN)/uv venv --quiet --clear --python $(BIN)/python $(VENV)/recipes
	@$(BIN)/uv pip install --quiet --python $(VENV)/recipes --requirement tests/recipes/requirements.txt
	@$(BIN)/uv pip install --quiet --python $(VENV)/recipes --no-deps --editable .
	@touch $@

$(BIN)/pip:
	@command -v $(PYTHON) >/dev/null || { echo "auditor needs Python 3.11 or newer, and there is no $(PYTHON) here;" \
	  "name one with PYTHON=/path/to/python3" >&2; exit 2; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "auditor needs Python 3.11 or newer," \
	  "and $(PYTHON) is $$($(PYTHON) --version 2>&1); name a newer one with PYTHON=/path/to/python3" >&2; exit 2; }
	@$(PYTHON) -m venv $(VENV) || { echo "$(PYTHON) cannot make a virtual environment;" \
	  "on Debian and Ubuntu: apt install python3-venv" >&2; rm -rf $(VENV); exit 2; }
