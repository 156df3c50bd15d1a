# The commands of the project. Each one sets up what it needs first, which takes no time when it is there already.
#
#   make demo       rehearse the example shop, green; make demo-red: with every known bug planted
#   make test       run every test; ARGS="-k word" narrows, ARGS="-n 0" runs them in one process
#   make lint       every check but the tests
#   make bench      measure what the documentation claims
#   make docs       build the documentation, offline
#   make format     let ruff rewrite the files
#   make lock       pin all dependencies anew, ARGS=--upgrade to the newest
#   make changelog  gather the changelog fragments for a release
#   make clean      remove what the other commands made

.DEFAULT_GOAL := help
.PHONY: help setup system-packages peers demo demo-red test lint format bench docs lock changelog clean

BIN := .venv/bin
ARGS ?=

help:
	@sed -n 's/^#   //p' Makefile

setup:
	@python=$$(tools/find_python.sh) && "$$python" tools/environment.py dev

peers:
	@python=$$(tools/find_python.sh) && "$$python" tools/environment.py peers

system-packages: setup
	@$(BIN)/python tools/system_packages.py

demo: setup
	@PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/understudy run examples/storefront $(ARGS)

# The same with every known bug planted: it has to end red, so exit code 1 is what is wanted here.
demo-red: setup
	@PATH="$(CURDIR)/$(BIN):$$PATH" STOREFRONT_BUGS=all $(BIN)/understudy run examples/storefront $(ARGS); test $$? -eq 1

test: system-packages
	@mkdir -p reports
	@$(BIN)/python -m pytest --numprocesses=2 --dist=worksteal --cov --cov-branch \
		--cov-report=term --cov-report=xml:reports/coverage.xml --cov-report=html:reports/coverage \
		--junit-xml=reports/junit.xml $(ARGS)

lint: setup
	@$(BIN)/python tools/system_packages.py git
	@failed=""; \
	for check in "ruff check ." "ruff format --check ." "mypy" "lint-imports --cache-dir .import_linter_cache" \
			"python tools/check_fragments.py" "python tools/check_addresses.py"; do \
		echo "== $$check"; $(BIN)/$$check || failed="$$failed [$$check]"; \
	done; \
	test -z "$$failed" || { echo "these checks failed:$$failed" >&2; exit 1; }

format: setup
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: setup peers
	@$(BIN)/python -m benchmarks $(ARGS)

docs: setup
	@$(BIN)/sphinx-build --quiet --fail-on-warning --keep-going --nitpicky \
		--doctree-dir build/doctrees docs build/docs $(ARGS)
	@echo "the documentation is in build/docs/index.html"

lock: setup
	@tools/lock.sh $(ARGS)

changelog: setup
	@$(BIN)/towncrier build --yes --version "$$($(BIN)/python -c 'import understudy; print(understudy.__version__)')"

# The stamps go first: a removal that is interrupted must not leave a half environment that looks ready.
clean:
	@rm -f .venv/.understudy-ready .venv-peers/.understudy-ready
	rm -rf .venv .venv-peers build dist reports .coverage .coverage.* .mypy_cache .ruff_cache .pytest_cache \
		.import_linter_cache .hypothesis
