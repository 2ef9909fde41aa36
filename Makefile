# Everything here needs only Go, git and make; other tools are fetched by Go.
export CGO_ENABLED ?= 0

GO         ?= go
PACKAGES    = ./... ./testdata/handbook
STATICCHECK = honnef.co/go/tools/cmd/staticcheck@v0.8.2

.PHONY: demo test race peers build lint bench generate clean

demo: build
	@./bin/footnote demo

build:
	@$(GO) build -o bin/footnote .

test:
	$(GO) test $(PACKAGES)

# The race detector needs a C compiler. Kill, soak and thousand-file tests are
# not short and run in "make test".
race:
	CGO_ENABLED=1 $(GO) test -race -short $(PACKAGES)

# Tests against independent servers from npm; there are none yet.
peers:
	@echo "no tests against independent servers yet"

lint:
	@test -z "$$(gofmt -l $$(git ls-files '*.go'))" || { gofmt -l $$(git ls-files '*.go'); echo "run gofmt -w on these files"; exit 1; }
	$(GO) vet $(PACKAGES)
	$(GO) run $(STATICCHECK) $(PACKAGES)

bench: build
	@$(GO) run ./internal/cli/scorecard -footnote bin/footnote

# Needs protoc, 3.21 or later (Debian: apt-get install protobuf-compiler).
generate:
	sh plugin-sdk/wire/generate.sh

clean:
	rm -rf bin
