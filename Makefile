# Recaller. `make` tells what there is to do. Only Go is needed; `make lint` and `make vuln` build their own tools.

SHELL       := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

BIN      := bin
GO       ?= go
PKGS     ?= ./...
FUZZTIME ?= 10s
TIMEOUT  ?= 14m

# The race detector needs a C compiler. RACE= turns it off.
RACE ?= $(shell command -v $$($(GO) env CC) >/dev/null 2>&1 && echo -race)

VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo unknown)
LDFLAGS := -s -w -X main.version=$(VERSION)

##@ Use

.PHONY: help
help: ## Show what make can do
	@awk 'BEGIN {FS = ":.*## "} \
		/^##@ / {printf "\n%s\n", substr($$0, 5)} \
		/^[a-z][a-z-]*:.*## / {printf "  make %-11s %s\n", $$1, $$2}' $(MAKEFILE_LIST)
	@echo

.PHONY: run
run: build ## Build and start the server on http://127.0.0.1:8787 (data in ./data)
	./$(BIN)/recaller serve

.PHONY: build
build: ## Build the one binary, bin/recaller
	CGO_ENABLED=0 $(GO) build -trimpath -ldflags '$(LDFLAGS)' -o $(BIN)/recaller ./cmd/recaller

.PHONY: demo
demo: build ## Replay real conversations, ring back, and show the briefing and recalls
	./$(BIN)/recaller demo

##@ Check

.PHONY: test
test: ## Run all tests, end-to-end ones too, with the race detector (what CI runs)
	$(GO) test $(RACE) -timeout $(TIMEOUT) $(PKGS)

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
	$(GO) test -timeout $(TIMEOUT) -coverpkg=./... -coverprofile=$(BIN)/cover.out $(PKGS)
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

.PHONY: bench
bench: ## Run the Go benchmarks, then the big store benchmark (docs/benchmarks.md)
	$(GO) test -run '^$$' -bench . -benchmem $(PKGS)
	$(GO) run ./tools/bench

##@ Tidy up

.PHONY: clean
clean: ## Remove what was built (never ./data)
	rm -rf $(BIN)

# Tools have modules of their own, so that the product's go.mod holds only what the product needs.
$(BIN)/golangci-lint: tools/lint/go.mod tools/lint/go.sum
	cd tools/lint && $(GO) build -trimpath -o ../../$@ github.com/golangci/golangci-lint/v2/cmd/golangci-lint
	@touch $@

$(BIN)/govulncheck: tools/vuln/go.mod tools/vuln/go.sum
	cd tools/vuln && $(GO) build -trimpath -o ../../$@ golang.org/x/vuln/cmd/govulncheck
	@touch $@
