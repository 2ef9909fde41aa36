# Everything here needs only Go, git and make; other tools are fetched by Go.
export CGO_ENABLED ?= 0

GO         ?= go
PACKAGES    = ./... ./testdata/handbook
PEERS       = ./core/model ./plugin-sdk/plugintest ./plugins ./plugins/mcp
STATICCHECK = honnef.co/go/tools/cmd/staticcheck@v0.8.2

# What tests write lies in memory, where there is room from which programs start: half of
# their time would go into waiting for the disk. What Go builds stays where it was.
MEMORY = $(shell f=/dev/shm/footnote-$$PPID; [ -z "$$TMPDIR" ] && [ "$$(df -Pk /dev/shm 2>/dev/null | awk 'NR == 2 {print $$4}')" -gt 6000000 ] 2>/dev/null && \
	printf '\043!/bin/sh\n' >$$f && chmod +x $$f && $$f 2>/dev/null && echo TMPDIR=/dev/shm GOTMPDIR=/tmp; rm -f $$f)

.PHONY: demo test race peers build lint bench bench-chat bench-1m generate clean

demo: build
	@./bin/footnote demo

build:
	@$(GO) build -o bin/footnote .

test:
	$(MEMORY) $(GO) test -timeout 20m $(PACKAGES)

# SQLite was translated from C and keeps what it works on outside of Go's heap, where the
# race detector does not look: being watched costs it most of its time and finds nothing.
# Its driver and its C library are watched as everything else is.
UNWATCHED = -gcflags=modernc.org/sqlite/lib=-race=false

# The race detector needs a C compiler. Kill, soak and thousand-file tests are
# not short and run in "make test".
race:
	$(MEMORY) CGO_ENABLED=1 $(GO) test -race $(UNWATCHED) -short -timeout 20m $(PACKAGES)

# Tests against an independent server from npm, and of the connector that is
# written in Node.js; needs node 20.15 or later.
peers:
	@command -v npm >/dev/null || { echo "make peers needs node 20.15 or later with npm: install them"; exit 1; }
	cd core/model/testdata/peers && npm ci --silent
	cd plugins/mcp/testdata/peers && npm ci --silent
	cd plugin-sdk/examples/jsonfeed && npm ci --silent && npm test --silent
	$(GO) test -count=1 -tags peers -run Peers $(PEERS)
	$(GO) run . plugin test plugin-sdk/examples/jsonfeed

lint:
	@test -z "$$(gofmt -l $$(git ls-files '*.go'))" || { gofmt -l $$(git ls-files '*.go'); echo "run gofmt -w on these files"; exit 1; }
	$(GO) vet $(PACKAGES)
	$(GO) vet -tags peers $(PEERS)
	$(GO) run $(STATICCHECK) $(PACKAGES)

# The scorecard in about 15 minutes: search, indexing, memory, start, citations,
# rendering, and quality where BENCH_DIR names a folder of test sets. ROWS chooses:
# make bench ROWS=2,5,12
bench: build
	@$(GO) run ./internal/cli/scorecard -footnote bin/footnote $(if $(ROWS),-rows $(ROWS))

# Rows 1 and 11: turns through Slack, some minutes each.
bench-chat: build
	@$(GO) run ./internal/cli/scorecard -footnote bin/footnote -rows 1,11

# Rows 3, 4, 5 and 7 at a million passages: half an hour, 8 GB of disk. KEEP names a
# folder where the index stays for another run.
bench-1m:
	@$(GO) run ./internal/cli/scorecard -rows million $(if $(KEEP),-keep $(KEEP))

# Needs protoc, 3.21 or later (Debian: apt-get install protobuf-compiler).
generate:
	sh plugin-sdk/wire/generate.sh

clean:
	rm -rf bin
