# Recaller. `make` tells what there is to do. Only Go is needed; `make lint` and `make vuln` build their own tools.

SHELL       := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

BIN      := bin
GO       ?= go
PKGS     ?= ./...
FUZZTIME ?= 10s
EVERY    ?= 1
SOAK     ?= 1h
SEED     ?=
ON       ?=
TIMEOUT  ?= 14m
POSTGRES := ./tools/postgres/postgres

# The race detector needs a C compiler. RACE= turns it off. What is BLIND is not watched: SQLite, which is C made into Go, has
# locks of its own, and takes two thirds of the time if it is watched; and, where others use them, what is UNSHARED and the
# KERNELS, which compute and share nothing with whoever calls them. KERNELS are watched in their own tests.
# Those of UNSHARED have no goroutine, no lock, no channel and no value that is made at its first use, so there is nothing to
# watch; internal/arch holds them to it.
MODULE   := github.com/recallerhq/recaller/internal
UNSHARED := agreement arch guard memory/decide memory/likeness speech tag transcript when wrapup/answer wrapup/evidence wrapup/extract
KERNELS  := embed/dialogue embed/static vector
BLIND    := -race=0 -d=checkptr=0
WATCH    := $(shell command -v $$($(GO) env CC) >/dev/null 2>&1 && echo -race)
RACE     ?= $(if $(WATCH),-race '-gcflags=modernc.org/...=$(BLIND)' \
	$(foreach package,$(UNSHARED) $(KERNELS),'-gcflags=$(MODULE)/$(package)=$(BLIND)'))

# Tests that run without it: the end-to-end ones start the binary as it is built for users (make race-e2e watches it), those of
# the command line and of the simulated disk start whole servers whose parts are watched in their own packages, the evaluation, the examination and the
# benchmark are long computations, and the wrap-up works through whole conversations by itself, one job at a time: its parts, and
# the servers that run it beside all else (internal/app), are watched.
# They run beside the others, since the end-to-end ones mostly wait; what they say is shown when all are done.
APART := $(addprefix $(MODULE)/,cli disktest e2e eval exam wrapup $(UNSHARED)) github.com/recallerhq/recaller/tools/bench

# Tests collect garbage when the heap has grown fivefold, not twofold: collecting is a third of the work of servers that are
# watched. From LIVE on it is collected as ever. Programs that the end-to-end tests start see nothing of it.
GARBAGE ?= 400
LIVE    ?= 4GiB

VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo unknown)
LDFLAGS := -s -w -X main.version=$(VERSION)

# PROGRESS counts the packages that the compiler names as it is done with them, and passes on all else it says.
PROGRESS := /^[A-Za-z0-9_.~\/-]+$$/ { printf "\rpackages compiled: %d", ++n; fflush(); next } { print } END { if (n) print "" }

##@ Use

.PHONY: help
help: ## Show what make can do
	@awk 'BEGIN {FS = ":.*## "} \
		/^##@ / {printf "\n%s\n", substr($$0, 5)} \
		/^[a-z][a-z0-9-]*:.*## / {printf "  make %-15s %s\n", $$1, $$2}' $(MAKEFILE_LIST)
	@echo

.PHONY: run
run: build ## Build and start the server on http://127.0.0.1:8787 (data in ./data)
	./$(BIN)/recaller serve

.PHONY: build
build: ## Build the one binary, bin/recaller
	@echo 'Building $(BIN)/recaller $(VERSION). The first time compiles every package, which takes a few minutes; then seconds.'
	@CGO_ENABLED=0 $(GO) build -v -trimpath -ldflags '$(LDFLAGS)' -o $(BIN)/recaller ./cmd/recaller 2>&1 | awk '$(PROGRESS)'

.PHONY: demo
demo: build ## Replay real conversations, ring back, and show the briefing and recalls
	./$(BIN)/recaller demo

##@ Check

.PHONY: examples
examples: ## Run all of examples/ as their pages say; gets livekit-agents and pipecat-ai for Python
	test -x $(BIN)/examples/bin/python || python3 -m venv $(BIN)/examples
	$(BIN)/examples/bin/pip install -q livekit-agents==1.8.9 pipecat-ai==1.14.0
	RECALLER_EXAMPLES=$(abspath $(BIN))/examples/bin/python $(GO) test -tags measure -count=1 -run TestExample ./internal/e2e

.PHONY: test
test: ## Run all tests (what CI runs), with the race detector but for those named in APART; gets itself a Postgres with pgvector
	RECALLER_TEST_POSTGRES_URL=$$($(POSTGRES) url memory); export RECALLER_TEST_POSTGRES_URL; \
	export GOGC=$(GARBAGE) GOMEMLIMIT=$(LIVE); \
	packages=$$($(GO) list $(PKGS)); of() { grep -xF "$$1" <<<"$$packages" || true; }; \
	apart=$$(of "$$(printf '%s\n' $(APART))"); kernels=$$(of "$$(printf '%s\n' $(addprefix $(MODULE)/,$(KERNELS)))"); \
	watched=$$(grep -vxF "$$(printf '%s\n' $(APART) $(addprefix $(MODULE)/,$(KERNELS)))" <<<"$$packages" || true); \
	failed=; beside=; log=$$(mktemp); trap 'rm -f "$$log"' EXIT; \
	if [ -n "$$apart" ]; then \
		$(GO) test -p 1 -parallel 4 -timeout $(TIMEOUT) $$apart >"$$log" 2>&1 & beside=$$!; \
	fi; \
	if [ -n "$$watched" ]; then $(GO) test $(RACE) -timeout $(TIMEOUT) $$watched || failed=yes; fi; \
	if [ -n "$$kernels" ]; then $(GO) test $(if $(RACE),$(WATCH)) -timeout $(TIMEOUT) $$kernels || failed=yes; fi; \
	if [ -n "$$beside" ]; then wait "$$beside" || failed=yes; cat "$$log"; fi; \
	[ -z "$$failed" ]

.PHONY: race-e2e
race-e2e: ## Run the end-to-end tests on a binary with the race detector (minutes)
	RECALLER_TEST_POSTGRES_URL="$$($(POSTGRES) url)" $(GO) test $(RACE) -timeout 30m ./internal/e2e

.PHONY: postgres
postgres: ## Start the Postgres that tests use, and print its URL (tools/postgres/postgres tells where it comes from)
	@$(POSTGRES) url

.PHONY: check
check: tidy-check vet fmt-check lint vuln test ## Run everything a change must pass, before you send it

.PHONY: vet
vet: ## Run go vet
	$(GO) vet -tags measure $(PKGS)

.PHONY: lint
lint: $(BIN)/golangci-lint ## Run golangci-lint with our rules (.golangci.yml)
	./$(BIN)/golangci-lint run $(PKGS)

.PHONY: fmt
fmt: $(BIN)/golangci-lint ## Format the code (gofumpt, imports in order)
	./$(BIN)/golangci-lint fmt

.PHONY: fmt-check
fmt-check: $(BIN)/golangci-lint ## Fail if `make fmt` would change anything
	./$(BIN)/golangci-lint fmt --diff

.PHONY: tidy-check
tidy-check: ## Fail if go.mod or go.sum is not tidy, or a module was changed after download
	$(GO) mod tidy -diff
	$(GO) mod verify

.PHONY: vuln
vuln: $(BIN)/govulncheck ## Look for known vulnerabilities that our code reaches
	@log=$$(mktemp); trap 'rm -f "$$log"' EXIT; \
	if ./$(BIN)/govulncheck $(PKGS) 2> >(tee "$$log" >&2); then exit 0; fi; \
	if grep -q 'fetching vulnerabilities' "$$log"; then \
		echo 'vuln: NOT CHECKED: the vulnerability database cannot be reached from here'; exit 0; \
	fi; exit 1

.PHONY: cover
cover: ## Measure test coverage into bin/cover.html
	@mkdir -p $(BIN)
	RECALLER_TEST_POSTGRES_URL="$$($(POSTGRES) url)" $(GO) test -timeout $(TIMEOUT) -coverpkg=./... -coverprofile=$(BIN)/cover.out $(PKGS)
	$(GO) tool cover -html=$(BIN)/cover.out -o $(BIN)/cover.html
	$(GO) tool cover -func=$(BIN)/cover.out | tail -1

.PHONY: fuzz
fuzz: ## Run every fuzz target for FUZZTIME (10s) each
	@for pkg in $$($(GO) list $(PKGS)); do \
		targets=$$($(GO) test -run '^$$' -list '^Fuzz' $$pkg | grep '^Fuzz' || true); \
		for target in $$targets; do \
			echo "== $$pkg $$target"; \
			$(GO) test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) $$pkg; \
		done; \
	done

.PHONY: disk
disk: ## Cut the power at each step of a life of an installation, fail each call to its files and its memory (hours; EVERY=10: each tenth)
	RECALLER_DISK=$(EVERY) $(GO) test -count 1 -timeout 20h -v ./internal/disktest

.PHONY: work
work: ## Repeat every word that a reader knows to 64 kB, and bound the time of each byte (an hour or two)
	RECALLER_WORK=10h $(GO) test -timeout 20h -v -run '^TestWorkIsLinear$$' $(PKGS) | grep -vE '^=== RUN|no test(s| files)'

.PHONY: small-disk
small-disk: ## Fill a real small disk while the server serves, and start it on a full one (needs the right to mount in a namespace)
	$(GO) test -tags measure -count=1 -v -run SmallDisk ./internal/e2e

.PHONY: soak
soak: ## Have kills, outages, full disks and clock jumps at random for SOAK (1h) on both stores; SEED=n repeats one
	RECALLER_SOAK=$(SOAK) RECALLER_SOAK_SEED=$(SEED) RECALLER_SOAK_ON=$(ON) $(GO) test -timeout 20h -v -run '^TestSoak$$' ./internal/e2e

.PHONY: kill-calls
kill-calls: ## Kill the server amid CALLS (200) bridged calls, and amid as many relayed ones, on both stores, and look for what was acknowledged
	RECALLER_TEST_POSTGRES_URL="$$($(POSTGRES) url)" RECALLER_KILLED_CALLS=$${CALLS:-200} $(GO) test -count 1 -timeout 30m -v -run '^TestKillNineAmid' ./internal/e2e | grep -vE '^=== '

.PHONY: mcp-conformance
mcp-conformance: ## Run the official conformance suite of MCP, as shipped and with its fixtures (gets it from npm once)
	./tools/mcp/conformance

.PHONY: mcp-clients
mcp-clients: ## Run the official Python and TypeScript clients of MCP, over HTTP and stdio (gets them once)
	./tools/mcp/clients

.PHONY: proxy-clients
proxy-clients: ## Run the official clients of OpenAI (Python, JavaScript) and Anthropic (Python) through the proxy (gets them once)
	./tools/proxy/clients

.PHONY: telephone-twilio
telephone-twilio: ## Have Twilio's official library sign a thousand webhooks, forged and repeated ones among them (gets it once)
	./tools/telephone/twilio

.PHONY: telephone-deepgram
telephone-deepgram: ## Have Deepgram's official library speak with our fakes, and check all that is sent by its types (gets it once)
	./tools/telephone/deepgram

.PHONY: telephone-speech
telephone-speech: ## Have espeak-ng speak for the telephone that is played (installs it once)
	./tools/telephone/speech

.PHONY: widget
widget: ## Drive the web chat's widget in Chromium, with screenshots to look at (OUT=folder; gets playwright-core once, needs a Chromium)
	./tools/widget/widget

.PHONY: proxy-model
proxy-model: ## Run a real small model behind the proxy, and write down all that is said (SIZE=0.5B or 1.5B, OUT=file; gets it once, slow)
	./tools/proxy/model

.PHONY: remem-client
remem-client: ## Run the document client that the voice session specification prints (gets httpx once)
	./tools/remem/client

.PHONY: mcp-load
mcp-load: ## Measure read_agent_memory over HTTP with 1,000,000 checkpoints held (RECALLER_MCP_HELD; filling takes a while; RECALLER_MCP_DATA keeps them)
	RECALLER_MCP_HELD=$${RECALLER_MCP_HELD:-1000000} RECALLER_MCP_FILL=$${RECALLER_MCP_FILL:-2h} $(GO) test -tags measure -count 1 -timeout 3h -v -run '^TestReadingAmongManyCheckpoints$$' ./internal/app

.PHONY: bench-proxy
bench-proxy: ## Measure what the proxy adds before the first byte, against asking the upstream directly (RECALLER_PROXY_REQUESTS of each)
	RECALLER_PROXY_REQUESTS=$${RECALLER_PROXY_REQUESTS:-2000} $(GO) test -tags measure -count 1 -timeout 30m -v -run '^TestWhatTheProxyAdds$$' ./internal/app

.PHONY: bench-bridge
bench-bridge: ## Measure how long audio is on its way through BRIDGE_CALLS (200) calls at once, for BRIDGE_FOR (60s)
	$(GO) test -count 1 -timeout 30m -run '^$$' -bench AddedDelay -benchtime 1x ./internal/bridge -bridge.calls $${BRIDGE_CALLS:-200} -bridge.for $${BRIDGE_FOR:-60s}

.PHONY: bench-threads
bench-threads: ## Measure prompts and replies of RECALLER_THREADS (500) threads at once, by RECALLER_THREADS_CLIENTS (50) clients, on both stores
	RECALLER_TEST_POSTGRES_URL="$$($(POSTGRES) url)" RECALLER_THREADS=$${RECALLER_THREADS:-500} $(GO) test -tags measure -count 1 -timeout 30m -v -run '^TestHundredsOfThreadsAtOnce$$' ./internal/app

.PHONY: bench-latency
bench-latency: ## Measure from a change to a webhook, and from what a caller says to a word, RECALLER_LATENCIES (1000) times, on both stores
	RECALLER_TEST_POSTGRES_URL="$$($(POSTGRES) url)" RECALLER_LATENCIES=$${RECALLER_LATENCIES:-1000} $(GO) test -tags measure -count 1 -timeout 30m -v -run '^TestHowLongA' ./internal/app

.PHONY: bench-merges
bench-merges: ## Measure merges of a caller with 80,000 turns, and how long other writes and reads wait meanwhile, on both stores
	RECALLER_TEST_POSTGRES_URL="$$($(POSTGRES) url)" $(GO) test -tags measure -count 1 -timeout 30m -v -run '^TestMerges$$' ./internal/store/sqlite ./internal/store/postgres

.PHONY: bench
bench: bench-latency ## Run the latencies, the Go benchmarks, then the big store benchmark (docs/benchmarks.md)
	RECALLER_TEST_POSTGRES_URL="$$($(POSTGRES) url)" $(GO) test -run '^$$' -bench . -benchmem $(PKGS)
	$(GO) run ./tools/bench

##@ Tidy up

.PHONY: clean
clean: ## Remove what was built (never ./data), and the tests' Postgres
	rm -rf $(BIN)
	$(POSTGRES) stop

# Tools have modules of their own, so that the product's go.mod holds only what the product needs.
$(BIN)/golangci-lint: tools/lint/go.mod tools/lint/go.sum
	cd tools/lint && $(GO) build -trimpath -o ../../$@ github.com/golangci/golangci-lint/v2/cmd/golangci-lint
	@touch $@

$(BIN)/govulncheck: tools/vuln/go.mod tools/vuln/go.sum
	cd tools/vuln && $(GO) build -trimpath -o ../../$@ golang.org/x/vuln/cmd/govulncheck
	@touch $@
