package main

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"path"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/footnote-bot/footnote"

// edges is which of our packages each package may import outside its tests, as
// docs/design.md section 2 says. A pattern with * stands for one path element.
var edges = map[string][]string{
	".":                             {"internal/cli"},
	"internal/cli":                  {"*", "*/*", "*/*/*"},
	"internal/cli/*":                {"core"},
	"internal/cli/rehearsal":        {"core/model/modeltest", "bot/slack/slacktest"},
	"internal/cli/scorecard":        {"core", "core/eval", "store/index", "internal/cli/scorecard/rival"},
	"internal/cli/scorecard/rival":  {"core"},
	"internal/cli/scorecard/scaled": {"core/eval", "plugin-sdk"},
	"bot":                           {"core", "core/access", "core/cite", "prompts"},
	"bot/*":                         {"bot", "bot/render", "core", "core/access"},
	"bot/slack/slacktest":           {"core", "bot/testclock"},
	"bot/discord/discordtest":       {"core", "bot/testclock"},
	"bot/testclock":                 nil,
	"core":                          nil,
	"core/access":                   {"core"},
	"core/agent":                    {"core", "core/find", "core/cite", "core/access", "core/model", "prompts"},
	"core/cite":                     {"core"},
	"core/eval":                     {"core"},
	"core/extract":                  {"core"},
	"core/gaps":                     {"core"},
	"core/find":                     {"core", "core/access", "core/model", "prompts"},
	"core/ingest":                   {"core", "core/extract", "core/ingest/chunk", "core/model"},
	"core/ingest/chunk":             {"core", "core/extract"},
	"core/ingest/embed":             {"core", "core/ingest/worker"},
	"core/ingest/schedule":          {"core"},
	"core/ingest/situate":           {"core", "core/ingest/worker", "core/model", "prompts"},
	"core/ingest/worker":            nil,
	"core/model":                    {"core", "core/model/toolcall"},
	"core/where":                    {"core"},
	"core/quota":                    nil,
	"core/model/toolcall":           nil,
	"core/model/modeltest":          {"core", "core/model"},
	"prompts":                       {"core"},
	"store":                         {"core"},
	"store/*":                       {"core"},
	"store/typesense":               {"core", "store/index"},
	"store/typesense/typesensetest": nil,
	"store/index":                   {"core", "store/vector"},
	"plugins":                       {"core", "plugin-sdk/launch", "plugin-sdk/wire"},
	"plugins/*":                     {"plugin-sdk", "plugins/internal/*"},
	"plugins/internal/*":            {"plugin-sdk"},
	"plugins/internal/*/*":          {"plugin-sdk"},
	"plugins/github/githubtest":     nil,
	"plugins/web/webtest":           nil,
	"plugin-sdk":                    {"plugin-sdk/wire"},
	"plugin-sdk/launch":             {"plugin-sdk/wire"},
	"plugin-sdk/plugintest":         {"plugin-sdk", "plugin-sdk/launch", "plugin-sdk/wire"},
	"plugin-sdk/wire":               nil,
	"testdata/handbook":             nil,
}

// standardOnly names the packages that import nothing outside the standard
// library and our own packages.
var standardOnly = []string{".", "core", "core/access", "core/agent", "core/cite", "core/eval", "core/find", "core/ingest/schedule", "core/model/toolcall", "core/quota", "core/where", "bot", "bot/console"}

type goPackage struct {
	ImportPath string
	Imports    []string
}

func TestImportsGoOneWay(t *testing.T) {
	for _, p := range listPackages(t) {
		name := local(p.ImportPath)
		allowed, ok := allowedFor(name)
		if !ok {
			t.Errorf("package %s is not in the table of edges: add it there and in docs/design.md section 2", name)
			continue
		}
		for _, imported := range p.Imports {
			if !strings.HasPrefix(imported, module) {
				continue
			}
			if to := local(imported); !matchesAny(to, allowed) {
				t.Errorf("%s imports %s; it may import %v", name, to, allowed)
			}
		}
	}
}

func TestCoreNeedsTheStandardLibraryOnly(t *testing.T) {
	for _, p := range listPackages(t) {
		if !slices.Contains(standardOnly, local(p.ImportPath)) {
			continue
		}
		for _, imported := range p.Imports {
			if first, _, _ := strings.Cut(imported, "/"); strings.Contains(first, ".") && !strings.HasPrefix(imported, module) && imported != "golang.org/x/sync/errgroup" && !strings.HasPrefix(imported, "golang.org/x/text/") {
				t.Errorf("%s imports %s", local(p.ImportPath), imported)
			}
		}
	}
}

func listPackages(t *testing.T) []goPackage {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "list", "-json=ImportPath,Imports", "./...", "./testdata/handbook").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var all []goPackage
	d := json.NewDecoder(strings.NewReader(string(out)))
	for {
		var p goPackage
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
}

// local is the path inside the module; "." for its root.
func local(importPath string) string {
	if importPath == module {
		return "."
	}
	return strings.TrimPrefix(importPath, module+"/")
}

// allowedFor prefers an exact entry to a pattern.
func allowedFor(name string) ([]string, bool) {
	if allowed, ok := edges[name]; ok {
		return allowed, true
	}
	for pattern, allowed := range edges {
		if ok, _ := path.Match(pattern, name); ok {
			return allowed, true
		}
	}
	return nil, false
}

func matchesAny(name string, patterns []string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool { ok, _ := path.Match(p, name); return ok })
}
