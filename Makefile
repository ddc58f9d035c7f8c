# Two commands do everything: `make reproduce` and `make test`. Each makes the environment first, if need be.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
PROFILE ?= teaching
JOBS ?= 2
FORMAT ?= notebook
INSTALL = $(BIN)/python -m pip install --quiet --disable-pip-version-check
CONVERT = CITECTX_STATIC=1 $(BIN)/jupyter nbconvert --log-level WARN
LESSONS = $(wildcard notebooks/[0-9]*.ipynb)

unexport MPLBACKEND  # a notebook shows its figures

.PHONY: help env dev reproduce lab test test-slow check audit lock notebooks assignments slides vectors peers bench bench-check site release clean

help:
	@echo "make reproduce    run all notebooks on the teaching corpus -> results/teaching (PROFILE=open for real data)"
	@echo "make lab          open the repository in JupyterLab"
	@echo "make vectors      train the word vectors that the open profile needs (two at a time)"
	@echo "make test         run all tests, notebooks included"
	@echo "make test-slow    those that take long or need the open data, which a workflow runs every night"
	@echo "make check        ruff and mypy"
	@echo "make audit        look for known vulnerabilities in what the lock files name (needs a network)"
	@echo "make lock         add the hashes of new pins to the lock files (needs uv: pip install uv)"
	@echo "make notebooks    execute the notebooks in place, to commit their outputs"
	@echo "make assignments  lessons without their solutions -> build/assignments (ARGS='-p topic D9002_TEACH', FORMAT=nbgrader)"
	@echo "make slides       slides of the lessons -> build/slides"
	@echo "make site         README, docs, lessons and results as a web site -> build/site"
	@echo "make release      wheel, sources and checksums -> build/release, once the lessons run from the wheel"
	@echo "make bench        races against other libraries; make bench-check compares their ratios"

$(VENV)/.ready: requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; (3, 11) <= sys.version_info < (3, 14) or sys.exit("Python 3.11, 3.12 or 3.13 is needed (gensim has no wheel for 3.14 yet); say: make PYTHON=python3.13 ...")'
	$(PYTHON) -m venv $(VENV)
	$(INSTALL) --require-hashes -r requirements.lock
	$(INSTALL) --no-deps --no-build-isolation -e .
	@touch $@

$(VENV)/.dev-ready: requirements-dev.lock $(VENV)/.ready
	$(INSTALL) --require-hashes -r requirements-dev.lock
	@touch $@

env: $(VENV)/.ready
dev: $(VENV)/.dev-ready

reproduce: env
	$(BIN)/citectx run --profile $(PROFILE) --jobs $(JOBS)
	$(BIN)/citectx claims --profile $(PROFILE)

# Kernels inherit the choice of BLAS that `import citectx` makes.
lab: env
	$(BIN)/python -c 'import citectx; from jupyterlab.labapp import main; main()' --ServerApp.root_dir=. --LabApp.default_url=/lab/tree/notebooks/00_start_here.ipynb

# Tables read no skip-gram vectors of general text.
vectors: SKIP_GRAM = biomedical computational-linguistics
vectors: env
	@printf 'train %s\n' $(SKIP_GRAM:%='% --architecture skip-gram') biomedical general computational-linguistics computational-linguistics-half \
	  | xargs -P 2 -L 1 $(BIN)/citectx
	@$(BIN)/python -m citectx.embeddings.train

# One thread per process: threads that wait for a busy core only slow each other down. Each file goes to one worker, so that
# what its tests share is made once; the notebooks come first, as they take longest.
test test-slow: export OPENBLAS_NUM_THREADS = 1
test test-slow: export OMP_NUM_THREADS = 1

test: dev
	$(BIN)/python -m pytest --numprocesses $(JOBS) --dist loadfile --no-loadscope-reorder \
	  --nbval --nbval-sanitize-with notebooks/sanitize.cfg notebooks tests citectx

test-slow: dev
	$(BIN)/python -m pytest --numprocesses $(JOBS) --dist worksteal -m "slow or open_data"

check: dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# pip-audit goes into an environment of its own, so that it is not a dependency.
audit:
	$(PYTHON) -m venv $(VENV)-audit
	$(VENV)-audit/bin/pip install --quiet --disable-pip-version-check pip-audit
	$(VENV)-audit/bin/pip-audit --no-deps --disable-pip --requirement requirements.lock --requirement requirements-dev.lock

# A new dependency is a new line name==version, with a marker if only some Pythons or systems need it. Nothing is resolved
# or upgraded here: pip does that, and `pip freeze` shows the pins.
lock:
	@for file in requirements.lock requirements-dev.lock; do \
	  uv pip compile --quiet --universal --no-deps --no-strip-extras --generate-hashes --no-annotate --no-header \
	    --python-version 3.11 $$file --output-file $$file || exit 1; done

# Times are not recorded, so that the same code gives the same bytes.
notebooks: env
	$(CONVERT) --to notebook --inplace --execute --ExecutePreprocessor.record_timing=False $(LESSONS)
	$(CONVERT) --coalesce-streams $(LESSONS)

# Parameters, such as ARGS="-p topic D9002_TEACH", make another run: text on this one goes, too.
assignments: env
	$(BIN)/python notebooks/handouts.py build/assignments --format $(FORMAT) $(ARGS)

# Made from the lessons as they are. Scripts and fonts lie beside them, so they need no network.
slides: dev
	$(BIN)/python notebooks/slides.py build/slides
	$(CONVERT) --config notebooks/slides.py --to slides --output-dir build/slides $(LESSONS)

# What we race against, beyond what the lock files name.
peers: dev
	$(INSTALL) -e '.[peers]'

bench: peers
	$(BIN)/python -m benchmarks

bench-check: peers
	$(BIN)/python -m benchmarks check

site: dev
	$(BIN)/sphinx-build --quiet --fail-on-warning --keep-going -c docs -d build/site-doctrees . build/site
	@echo '<meta http-equiv="refresh" content="0; url=docs/index.html">' > build/site/index.html

# The lessons run outside the checkout, where they can only be those of the wheel.
release: RELEASE = $(CURDIR)/build/release
release: OUTSIDE = $(or $(TMPDIR),/tmp)/citectx-release
release: dev
	@git diff --quiet HEAD || { echo "commit first: a release is made of what is committed" >&2; exit 1; }
	rm -rf $(RELEASE) $(OUTSIDE) && mkdir -p $(RELEASE) $(OUTSIDE)
	git archive HEAD | tar -x -C $(OUTSIDE)
	$(BIN)/python -m pip wheel --quiet --no-deps --no-build-isolation --wheel-dir $(RELEASE) $(OUTSIDE)
	git archive -o $(RELEASE)/citectx-$$($(BIN)/python -c 'import citectx; print(citectx.__version__)').tar.gz --prefix=citectx/ HEAD
	rm -rf $(OUTSIDE) && $(PYTHON) -m venv $(OUTSIDE)
	$(OUTSIDE)/bin/pip install --quiet --require-hashes -r requirements.lock
	$(OUTSIDE)/bin/pip install --quiet --no-deps $(RELEASE)/*.whl
	cd $(OUTSIDE) && bin/citectx run --jobs $(JOBS)
	rm -rf $(OUTSIDE)
	cd $(RELEASE) && sha256sum citectx-* | tee SHA256SUMS

# Results on data of your own (own, tac2014) and of sweeps stay: they may have taken hours.
clean:
	rm -rf $(VENV) $(VENV)-audit $(VENV)-audit.log build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
	rm -rf results/teaching results/by-hand results/.*.lock results/*/.[!.]* results/*/views
	find . \( -name __pycache__ -o -name .ipynb_checkpoints -o -name '*.part' -o -name '*.failed.ipynb' \) -prune -exec rm -rf {} +
