package sdk

import (
	"os/exec"
	"strings"
	"testing"
)

// Authors must be able to build a connector without the rest of Footnote.
func TestDependencies(t *testing.T) {
	const module = "github.com/footnote-bot/footnote/"
	out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	for dep := range strings.FieldsSeq(string(out)) {
		if inside, ours := strings.CutPrefix(dep, module); ours && inside != "plugin-sdk" && inside != "plugin-sdk/wire" {
			t.Errorf("plugin-sdk depends on %s", dep)
		}
	}
	direct, err := exec.CommandContext(t.Context(), "go", "list", "-f", `{{join .Imports "\n"}}`, ".", "./wire").Output()
	if err != nil {
		t.Fatal(err)
	}
	for dep := range strings.FieldsSeq(string(direct)) {
		if host, _, _ := strings.Cut(dep, "/"); strings.Contains(host, ".") && !allowed(strings.TrimPrefix(dep, module)) {
			t.Errorf("plugin-sdk imports %s", dep)
		}
	}
}

// allowed are gRPC, protobuf and go-plugin, with what they show in their own
// interfaces: the standard error details and go-plugin's logger.
func allowed(dep string) bool {
	for _, prefix := range []string{
		"plugin-sdk/wire", "google.golang.org/grpc", "google.golang.org/protobuf", "google.golang.org/genproto/googleapis/rpc",
		"github.com/hashicorp/go-plugin", "github.com/hashicorp/go-hclog",
	} {
		if dep == prefix || strings.HasPrefix(dep, prefix+"/") {
			return true
		}
	}
	return false
}
