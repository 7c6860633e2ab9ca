# The whole workflow. `make` says what there is; `make check` is what CI runs.

SWIFT ?= swift
# Debian's own: it is the one that has python3-websockets.
PYTHON ?= /usr/bin/python3
# What the tests take from PyPI is in an environment of its own, next to what Debian has.
VENV := .venv
LISTEN ?= 127.0.0.1:8080
ADMIN_LISTEN ?= 127.0.0.1:8081
DATA_DIR ?= .build/data
# What the console shows for what operators may do.
ADMIN_KEY = $(abspath $(DATA_DIR))/admin.key
# More flags for "make run" and "make bench", such as FLAGS="--log-level debug".
FLAGS ?=

SOURCES := Package.swift Sources Tests Benchmarks examples/swift-chat
# Where Python is: a name that nothing defines is found before hours of tests, not by one of them.
SCRIPTS := Tests Benchmarks examples Tools/check-links Tools/generate-emoji Tools/manual Tools/release Tools/sbom
RELEASE := -c release --static-swift-stdlib --disable-local-rpath
STRICT := -Xswiftc -warnings-as-errors --explicit-target-dependency-import-check error
# Optimised, a module at once, and open to tests.
TESTABLE := -c release -Xswiftc -enable-testing
# What tests run is optimised, a module at once as a release is, with its assertions and the names
# that a debug build has: it runs in a fifth of the time. It has a place of its own, so that a plain
# "swift build" beside it does not undo it.
CHECKED := $(TESTABLE) -Xswiftc -assert-config -Xswiftc Debug \
  -Xswiftc -DDEBUG -Xswiftc -DURLSESSION --scratch-path .build/check

END_TO_END := $(VENV)/bin/python Tests/EndToEnd/run.py

# In three processes: the tests of the client and of the tools wait for processes and sockets, and
# those of the simulator compute for long, all within deadlines; others keep all threads busy for
# longer than those, under a sanitizer for an hour.
define swift_test
$(SWIFT) test --skip-build --disable-xctest --skip 'Sync(Client|Sim|Bench)Tests' $(1)
$(SWIFT) test --skip-build --disable-xctest --filter 'Sync(Sim|Bench)Tests' $(1)
$(SWIFT) test --skip-build --disable-xctest --filter SyncClientTests $(1)
endef

# How many worlds "make simulate" lives through.
SEEDS ?= 1000
# How long "make fuzz" lets each fuzzer run, in seconds, and which ones: FUZZ="http frames".
SECONDS ?= 20
FUZZ ?= $(notdir $(wildcard Tests/Fuzz/corpus/*))

# How long "make soak" goes on.
MINUTES ?= 60

.PHONY: help build run test check lint format tsan asan fuzz faults attack soak programs release deb simulate schema \
  bench bench-peers bench-diff bench-micro constant-time docs clean packages

help:  ## Lists the targets.
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/\1\t\2/p' $(MAKEFILE_LIST) | expand -t 12

packages:
	@Tools/install-packages test

$(VENV)/.installed: Tests/EndToEnd/requirements.txt | packages
	@echo "make: installing PubNub's SDK for the tests, from PyPI into $(VENV)"
	@$(PYTHON) -m venv --clear --system-site-packages $(VENV)
	@$(VENV)/bin/pip install --quiet --disable-pip-version-check --no-deps --requirement $<
	@touch $@

build: packages $(VENV)/.installed  ## Installs what is missing and builds everything; a warning is an error.
	$(SWIFT) build --build-tests $(CHECKED) $(STRICT)

run:  ## Installs what is missing, builds for release, and runs the daemon on LISTEN, with its console.
	@Tools/install-packages run
	@echo "make run: building for release; the first time takes some minutes"
	$(SWIFT) build $(RELEASE) --product syncdaemon
	$(SWIFT) build $(RELEASE) --product syncctl
	@install -d -m 700 $(DATA_DIR)
	@umask 077; test -s $(ADMIN_KEY) || od -An -tx1 -N20 /dev/urandom | tr -d ' \n' > $(ADMIN_KEY)
	@echo "make run: starting the daemon on $(LISTEN), data in $(DATA_DIR); Ctrl-C stops it"
	@echo "make run: its console is http://$(ADMIN_LISTEN)/console/#key=$$(cat $(ADMIN_KEY))"
	@exec .build/release/syncdaemon serve --listen $(LISTEN) --admin-listen $(ADMIN_LISTEN) \
	  --admin-key-file $(ADMIN_KEY) --console clients --data-dir $(DATA_DIR) $(FLAGS)

test: export SYNCDAEMON_BINARY = $(CURDIR)/.build/check/release/syncdaemon
test: build  ## Installs what is missing, builds, and runs every test.
	@echo "make test: the tests in Swift"
	$(call swift_test,$(CHECKED))
	@echo "make test: the web client and the console, without a browser"
	node --test clients/web/tests/*.test.mjs clients/console/tests/*.test.mjs
	@echo "make test: the tests against the program, with an independent client and a browser"
	$(END_TO_END)

# A machine of CI is shared: what fails beside others is judged alone, and named.
check: END_TO_END += --again
check: lint test  ## What CI runs on every push: formatting, warnings as errors, every test.

lint: packages $(VENV)/.installed  ## Checks formatting, and names in Python; changes nothing.
	$(SWIFT) format lint --strict --parallel --recursive $(SOURCES)
	$(VENV)/bin/python -m pyflakes $(SCRIPTS)

format:  ## Formats in place.
	$(SWIFT) format format --in-place --parallel --recursive $(SOURCES)

# Sanitizers run what a release is compiled to: unoptimised they take ten times as long, and tests
# outlast their deadlines.
tsan: export SYNCDAEMON_BINARY = $(CURDIR)/.build/tsan/release/syncdaemon
tsan: export TSAN_OPTIONS = halt_on_error=1 exitcode=66 suppressions=$(CURDIR)/Tests/tsan.suppressions
tsan: packages $(VENV)/.installed  ## Runs every test under ThreadSanitizer.
	$(SWIFT) build --build-tests $(TESTABLE) --sanitize=thread --scratch-path .build/tsan
	$(call swift_test,$(TESTABLE) --sanitize=thread --scratch-path .build/tsan)
	$(END_TO_END)

asan: export SYNCDAEMON_BINARY = $(CURDIR)/.build/asan/release/syncdaemon
# No leak check: contexts of libwebsockets 4.1.6 are not safe to destroy, so they live until exit.
asan: export ASAN_OPTIONS = detect_leaks=0 exitcode=66
asan: packages $(VENV)/.installed  ## Runs every test under AddressSanitizer.
	$(SWIFT) build --build-tests $(TESTABLE) --sanitize=address --scratch-path .build/asan
	$(call swift_test,$(TESTABLE) --sanitize=address --scratch-path .build/asan)
	$(END_TO_END)

schema: export SYNCDAEMON_BINARY = $(CURDIR)/.build/check/release/syncdaemon
schema: export SYNC_SCHEMA_EXAMPLES ?= 200
schema: build  ## Tries the HTTP API by its own document, SYNC_SCHEMA_EXAMPLES times each operation.
	$(END_TO_END) test_api_schema

# As "asan"; what a fuzzer finds is kept in .build/fuzz/found. Swift's own backtracer reads where
# AddressSanitizer does not let it.
fuzz: export ASAN_OPTIONS = detect_leaks=0
fuzz: export SWIFT_BACKTRACE = enable=no
fuzz: export SYNCDAEMON_FUZZ = 1
fuzz:  ## Runs each fuzzer for SECONDS, with AddressSanitizer; FUZZ="http frames" runs only those.
	@Tools/install-packages run
	$(SWIFT) build -c release --sanitize=fuzzer -Xswiftc -enable-testing \
	  -Xswiftc -sanitize=fuzzer,address --scratch-path .build/fuzz --product syncfuzz
	Tools/fuzz $(SECONDS) $(FUZZ)

# Rounds of "make faults".
CRASH_ROUNDS ?= 50
POWER_CUTS ?= 200

# What the fault suite is made of; docs/RELIABILITY.md says which case is where. The sizes are those
# of its figures.
FAULTS := test_crash test_service test_disk test_damage test_memory test_upgrade test_clock \
  test_mutations test_resume test_drain test_activation test_watchdog test_limits test_storm \
  test_transport test_rfc6455 test_smuggling test_http test_bad_input test_odd_names \
  test_injection test_entrances test_access test_quotas test_pubnub_polls test_log test_tls \
  test_postgres_seat test_link test_link_faults test_link_storm
FAULT_SIZES = CRASH_ROUNDS=$(CRASH_ROUNDS) SERVICE_ROUNDS=20 MEMORY_ROUNDS=20 UPGRADE_ROWS=400000 \
  UPGRADE_KILLS=20 STORM_CLIENTS=8000 STORM_DEVICES=10000 LINK_ROUNDS=20 \
  LINK_FAULTS="kill=20 freeze=5 terminate=20 cut=10 silence=5 follower=10 standby=5 promote=3"
FLOODS := F11 F12 F23 F26 F27 F28

programs: packages
	$(SWIFT) build $(RELEASE) --product syncdaemon
	$(SWIFT) build $(RELEASE) --product syncctl

deb:  ## Builds a Debian package into .build/deb, lintian-clean, with what it is made of (SPDX).
	@Tools/install-packages deb
	@rm -rf .build/deb
	@mkdir -p .build/deb
	@echo "make deb: building for release; the first time takes some minutes"
	DEB_DIRECTORY=$(CURDIR)/.build/deb debian/rules clean binary
	lintian --fail-on error,warning --tag-display-limit 0 .build/deb/*.deb
	@export SOURCE_DATE_EPOCH=$$(dpkg-parsechangelog --show-field Timestamp); \
	for package in .build/deb/*.deb; do Tools/sbom $$package > $${package%.deb}.spdx.json; done
	@ls -l .build/deb

release: deb  ## Packs a release that has its number (Tools/release): sources, package, news, checksums.
	Tools/release pack .build/dist .build/deb/*.deb

faults: programs $(VENV)/.installed  ## Kills CRASH_ROUNDS times, cuts the power POWER_CUTS times, cuts off, floods, starves: nothing is lost.
	Tools/check-hardening .build/release/syncdaemon
	$(SWIFT) build $(TESTABLE) --scratch-path .build/simulate --product syncsim
	.build/simulate/release/syncsim --power-cuts $(POWER_CUTS)
	$(FAULT_SIZES) SYNCDAEMON_BINARY=$(CURDIR)/.build/release/syncdaemon $(END_TO_END) -j 1 $(FAULTS)
	$(VENV)/bin/python Tests/EndToEnd/attack.py --binary .build/release/syncdaemon $(FLOODS)

attack: programs $(VENV)/.installed  ## Carries out known attacks, or those of NAMES, beside an honest client; one table.
	$(VENV)/bin/python Tests/EndToEnd/attack.py --binary .build/release/syncdaemon $(FLAGS) $(NAMES)

soak: programs $(VENV)/.installed  ## Serves mixed load for MINUTES, and says what drifts.
	$(VENV)/bin/python Tests/EndToEnd/soak.py --binary .build/release/syncdaemon --minutes $(MINUTES)

simulate:  ## Lives through SEEDS random worlds with faults; a broken promise prints its seed.
	@Tools/install-packages run
	$(SWIFT) build $(TESTABLE) --scratch-path .build/simulate --product syncsim
	.build/simulate/release/syncsim --seeds $(SEEDS) $(FLAGS)

bench:  ## Measures the release build beside the floor and the peers that are installed.
	@Tools/install-packages run
	$(SWIFT) build $(RELEASE) --product syncdaemon
	$(SWIFT) build $(RELEASE) --product syncbench
	@mkdir -p .build/bench
	$(CC) -O2 -Wall -Wextra -Werror -o .build/bench/floor Benchmarks/floor/floor.c
	.build/release/syncbench table --save .build/bench/last.json $(FLAGS)
	@echo "make bench: kept as .build/bench/last.json, for syncbench compare OLD.json NEW.json"

bench-peers:  ## Installs the peers that "make bench" measures beside the daemon.
	@Tools/install-peers

bench-diff:  ## Measures what digests and repairs by difference cost.
	@Tools/install-packages run
	$(SWIFT) build $(RELEASE) --product reconcilebench
	.build/release/reconcilebench

bench-micro:  ## Measures parts of a delivery: nanoseconds and allocations of each.
	@Tools/install-packages run
	$(SWIFT) build $(TESTABLE) --scratch-path .build/micro --product microbench
	.build/micro/release/microbench

constant-time:  ## Measures whether a refused token's time tells where it is wrong.
	@Tools/install-packages run
	$(SWIFT) build $(TESTABLE) --scratch-path .build/micro --product microbench
	.build/micro/release/microbench constant-time

docs:  ## Builds the reference of EventModel and SyncClient; a broken link is an error.
	$(SWIFT) package dump-symbol-graph --minimum-access-level public > /dev/null
	rm -rf .build/docs-symbols
	@for module in EventModel SyncClient; do \
	  mkdir -p .build/docs-symbols/$$module; \
	  cp .build/*/symbolgraph/$$module.symbols.json .build/docs-symbols/$$module/ || exit 1; \
	done
	docc convert --warnings-as-errors --output-path .build/docs --fallback-display-name EventModel \
	  --fallback-bundle-identifier dev.sync.EventModel \
	  --additional-symbol-graph-dir .build/docs-symbols/EventModel
	docc convert Sources/SyncClient/SyncClient.docc --warnings-as-errors \
	  --output-path .build/docs-client --fallback-display-name SyncClient \
	  --fallback-bundle-identifier dev.sync.SyncClient \
	  --additional-symbol-graph-dir .build/docs-symbols/SyncClient

clean:  ## Removes everything that was built, and the data of "make run".
	rm -rf .build $(VENV)
