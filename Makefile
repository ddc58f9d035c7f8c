# Two commands do everything: `make reproduce` and `make test`. Each makes the environment first, if need be.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
PROFILE ?= teaching
JOBS ?= 2
# uv installs faster than pip and checks the same hashes; it is used if there is one. `make UV=` takes pip all the same,
# and so does a uv that finds no index: it does not read where pip was told to look.
UV ?= $(shell uv --version >/dev/null 2>&1 && echo uv)
PIP = $(BIN)/python -m pip install --quiet --disable-pip-version-check
WITH_UV = $(UV) pip install --quiet --compile-bytecode --python $(BIN)/python
install = $(if $(UV),$(WITH_UV) $(1) || )$(PIP) $(1)
# What everybody needs, and what `make lab` and `make site` install beside it.
LOCKS := requirements.lock requirements-lab.lock requirements-docs.lock
# Compiled modules are kept, whatever the caller's shell says; otherwise every kernel and command compiles them again.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help env lab reproduce test test-slow check audit lock notebooks bench bench-check vectors site clean

help:
	@echo "make reproduce   run all notebooks on the teaching corpus -> results/teaching (PROFILE=open for real data)"
	@echo "make test        run all tests, notebooks included"
	@echo "make test-slow   the wheel, kill, fuzz, kernel and property tests at full size"
	@echo "make check       ruff, mypy, and known vulnerabilities of what the lock files name"
	@echo "make lock        add the hashes of new pins to the lock files (needs uv: pip install uv)"
	@echo "make vectors     train the word vectors that the open profile needs (two at a time)"
	@echo "make lab         open the notebooks in JupyterLab, widgets included"
	@echo "make bench       speed against peers -> benchmarks/results.csv"
	@echo "make bench-check the same races again: which ratio fell to less than two thirds of the table's"
	@echo "make notebooks   execute the notebooks in place, to commit their outputs"
	@echo "make site        build the results site -> build/site"

$(VENV)/.ready: requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed; say: make PYTHON=python3.11 ...")'
	$(PYTHON) -m venv $(VENV)
	$(call install,--require-hashes -r requirements.lock)
	$(call install,--no-deps --no-build-isolation -e .)
	@touch $@

env: $(VENV)/.ready

$(VENV)/.lab-ready: requirements-lab.lock
$(VENV)/.docs-ready: requirements-docs.lock
$(VENV)/.lab-ready $(VENV)/.docs-ready: $(VENV)/.%-ready: $(VENV)/.ready
	$(call install,--require-hashes -r requirements-$*.lock)
	@touch $@

reproduce: env
	$(BIN)/citectx run --profile $(PROFILE) --jobs $(JOBS)
	$(BIN)/citectx claims --profile $(PROFILE)

# One thread for each process: threads that wait for a busy core only slow each other down. Each file goes to one worker,
# so what its tests share is made once; the notebooks come first, as they take longest.
test test-slow: export OPENBLAS_NUM_THREADS = 1
test test-slow: export OMP_NUM_THREADS = 1

test: env
	CITECTX_STATIC=1 $(BIN)/python -m pytest --numprocesses $(JOBS) --dist loadfile --no-loadscope-reorder \
	  --nbval --nbval-sanitize-with notebooks/sanitize.cfg notebooks tests citectx

test-slow: env
	$(BIN)/python -m pytest --numprocesses $(JOBS) --dist worksteal -m "slow or hypothesis" --hypothesis-profile thorough

check: env
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	@$(MAKE) --no-print-directory audit

# pip-audit goes into an environment of its own, so that it is no dependency of ours.
audit:
	@{ $(PYTHON) -m venv $(VENV)-audit && $(VENV)-audit/bin/pip install --quiet --disable-pip-version-check pip-audit && \
	  timeout 300 $(VENV)-audit/bin/pip-audit --no-deps --disable-pip --progress-spinner off \
	    $(LOCKS:%=--requirement %); } >$(VENV)-audit.log 2>&1; status=$$?; \
	if grep -q 'Found .* vulnerabilit' $(VENV)-audit.log; then cat $(VENV)-audit.log; exit 1; fi; \
	skipped=$$(grep -c 'could not be audited' $(VENV)-audit.log); \
	if test $$status != 0; then tail -n 1 $(VENV)-audit.log; echo "the known-vulnerability check could not be made"; \
	elif test $$skipped != 0; then echo "the known-vulnerability check could not be made of $$skipped pins; see $(VENV)-audit.log"; \
	else echo "no known vulnerabilities"; fi

# A new dependency is a new line name==version, with a marker if only some Pythons or systems need it. Nothing is resolved
# or upgraded here: pip does that, and `pip freeze` shows the pins.
lock:
	@for file in $(LOCKS); do uv pip compile --quiet --universal --no-deps --no-strip-extras --generate-hashes \
	  --no-annotate --no-header --python-version 3.11 $$file --output-file $$file || exit 1; done

lab: $(VENV)/.lab-ready
	$(BIN)/jupyter lab notebooks

notebooks: env
	$(BIN)/python tools/execute_notebooks.py

bench: env
	$(BIN)/python -m benchmarks

bench-check: env
	$(BIN)/python -m benchmarks check

vectors: env
	@for kind in skip-gram cbow; do for name in biomedical general computational-linguistics; do \
	  echo "embeddings train $$name --architecture $$kind"; done; done | xargs -P 2 -L 1 $(BIN)/citectx

site: $(VENV)/.docs-ready
	$(BIN)/citectx site

clean:
	rm -rf $(VENV) $(VENV)-audit $(VENV)-audit.log results/teaching build *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
