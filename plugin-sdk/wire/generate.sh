#!/bin/sh
# Writes connector.pb.go and connector_grpc.pb.go from connector.proto, and copies
# it into the examples in other languages.
# Needs protoc 3.21 in PATH; the Go plugins are built at pinned versions into a
# temporary folder, so that everybody gets the same bytes.
set -eu
cd "$(dirname "$0")"
bin=$(mktemp -d)
trap 'rm -rf "$bin"' EXIT
GOBIN="$bin" go install google.golang.org/protobuf/cmd/protoc-gen-go@v1.36.12
GOBIN="$bin" go install google.golang.org/grpc/cmd/protoc-gen-go-grpc@v1.6.2
# The file has a long name in the descriptor: Go keeps one registry of names for
# all programs that are linked together.
name=footnote/plugin/v1
module=github.com/footnote-bot/footnote/plugin-sdk/wire
PATH="$bin:$PATH" protoc --proto_path="$name=." \
	--go_out=. --go_opt=module="$module" \
	--go-grpc_out=. --go-grpc_opt=module="$module" \
	"$name/connector.proto"
for copy in ../examples/*/proto/connector.proto; do
	cp connector.proto "$copy"
done
