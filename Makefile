# Thin: every target calls CMake, ctest or a script.
#   make bench        quick profile of every sweep, every figure, a summary (some five minutes on 2 cores)
#   make bench-full   the full profile
#   make figures      re-render the figures from stored results, running nothing
#   make performance  how fast, with the target beside every number (compare, samples that alternate; some ten minutes)
#   make peers        our adjoint and the libraries of others at equal achieved error (compare --error; an hour or more)
#   make store        all of the above by this commit, into results/ (store.sh; a quiet machine for two hours or more)
#   make test         build and run the tests
#   make mutants      every fault of tests/mutants and tests/modules against verify, 200 seeds, into results/verify
#   make release      source archive, Debian package, results and checksums of a clean commit, into OUT/release
#   PEERS=OFF           without the libraries of others (PETSc, SUNDIALS, ADOL-C, Boost), which are installed otherwise
#   make deps | lint | sanitize | clean
PRESET ?= release
JOBS   ?= $(shell nproc)
PEERS  ?= ON
OUT    ?= results/local
BUILD  := build/$(PRESET)

# A folder may be called anything: one word for the shell, taken as it was given and not expanded by make.
unexport FROM OUT
quoted = '$(subst ','\'',$(value $(1)))'

.PHONY: all build deps bench bench-full figures performance peers store test mutants lint sanitize release clean

all: build

deps:
	@harness/scripts/deps.sh build required figure test
	@harness/scripts/deps.sh --optional linear place
	@[ "$(PEERS)" = OFF ] || harness/scripts/deps.sh --optional peer

build: deps
	@cmake --preset $(PRESET) --log-level=WARNING -DSENS_PEERS=$(PEERS)
	@cmake --build $(BUILD) -j $(JOBS)

bench: build
	@harness/scripts/bench.sh --quick $(BUILD)/sensbench $(call quoted,OUT)/quick

bench-full: build
	@harness/scripts/bench.sh --full $(BUILD)/sensbench $(call quoted,OUT)/full

figures:
	@harness/scripts/deps.sh figure
	@harness/scripts/figures.sh $(if $(value FROM),$(call quoted,FROM))

performance: build
	@harness/scripts/performance.sh $(BUILD)/sensbench $(call quoted,OUT)/performance

store: build
	@harness/scripts/deps.sh figure contender
	@harness/scripts/store.sh $(BUILD) $(call quoted,OUT)/store

peers: build
	@harness/scripts/peers.sh $(BUILD)/sensbench $(call quoted,OUT)/peers

test: build
	@harness/scripts/deps.sh --optional fuzz contender browser
	@ctest --test-dir $(BUILD) --output-on-failure -j $(JOBS)

mutants: build
	@tests/mutants/report.sh $(BUILD) results/verify

lint:
	@harness/scripts/deps.sh build required test lint fuzz
	@harness/scripts/deps.sh --optional linear place peer
	@harness/scripts/lint.sh

# The whole test suite under ASan and UBSan, the threads under TSan, the unit tests under valgrind.
sanitize:
	@harness/scripts/deps.sh build required test
	@harness/scripts/sanitize.sh $(JOBS)

release: build
	@harness/scripts/deps.sh release
	@harness/scripts/release.sh $(BUILD) $(call quoted,OUT)/release

clean:
	@cmake -E rm -rf build
