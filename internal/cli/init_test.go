package cli

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/footnote-bot/footnote/internal/cli/config"
)

func noEnvironment(string) (string, bool) { return "", false }

// What init writes is read as it was meant, with and without what stands in comments,
// and a file that is there stays.
func TestInitWritesAFileToBeginWith(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	u.write(map[string]string{"docs/a.md": "# A\n\nLeave is thirty days.\n"})
	out := u.must("init", "--docs", "docs", "--domain", "@Example.com", "--model-url", "http://127.0.0.1:1/v1", "--model", "small: one", "--model-key", `k"1`,
		"--embeddings-url", "http://127.0.0.1:1/v1", "--embeddings-model", "e")
	path := filepath.Join(u.dir, config.DefaultFile)
	if !strings.Contains(out, "wrote "+path) {
		t.Errorf("said %s", out)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file: %v, %v", info, err)
	}
	cfg, err := config.Load(path, u.dir, noEnvironment)
	if err != nil || cfg.Model.Name != "small: one" || cfg.Model.APIKey != `k"1` || cfg.Members.Domains[0] != "example.com" || cfg.Embeddings.Name != "e" ||
		len(cfg.Sources) != 1 || cfg.Sources[0].Config["dir"] != filepath.Join(u.dir, "docs") || cfg.Sources[0].Every.Minutes() != 15 {
		t.Errorf("read as %+v, %v", cfg, err)
	}
	if o := u.run("init"); o.code != exitFailure || !strings.Contains(o.err, "never changed") {
		t.Errorf("again: %+v", o)
	}
	all := strings.TrimSpace(regexp.MustCompile(`(?m)^#([^ ])`).ReplaceAllString(newUser(t).must("init", "--print"), "$1"))
	taken := filepath.Join(t.TempDir(), "all.yaml")
	if err := os.WriteFile(taken, []byte(all), 0o600); err != nil {
		t.Fatal(err)
	}
	if cfg, err := config.Load(taken, u.dir, noEnvironment); err != nil || len(cfg.Quotas) != 1 || len(cfg.Sources) != 1 || cfg.Model.Name == "" || cfg.HTTP.Listen == "" {
		t.Errorf("with all settings taken in: %+v, %v\n%s", cfg, err, all)
	}
}

func TestInitRefuses(t *testing.T) {
	t.Parallel()
	for args, says := range map[string]string{
		"--model-url http://x/v1":      "both --model-url and --model",
		"--model m":                    "both",
		"--model-key k":                "--model-url and --model as well",
		"--embeddings-model e":         "both --embeddings-url",
		"--domain ann@example.com":     "no e-mail domain",
		"--docs nowhere":               "no folder",
		"--docs nowhere --print":       "no folder",
		"nothing":                      "unknown command",
		"--domain example.com --modle": "did you mean --model",
	} {
		u := newUser(t)
		o := u.run(append([]string{"init"}, strings.Fields(args)...)...)
		if o.code == exitOK || !strings.Contains(o.err, says) {
			t.Errorf("%s: %+v", args, o)
		}
		if !missing(filepath.Join(u.dir, config.DefaultFile)) {
			t.Errorf("%s: a file is written", args)
		}
	}
}

// On a terminal what no flag gave is asked for; an end of input leaves the rest out.
func TestInitAsks(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name, in, flag      string
		model, key, domain  string
		prompts, notPrompts []string
	}{
		{"all", "\nexample.com\nhttp://127.0.0.1:1/v1\nsmall\nsk-1\n", "", "small", "sk-1", "example.com", []string{"Folder", "Its key"}, nil},
		{"no model", "\nexample.com\n\n", "", "", "", "example.com", nil, []string{"Name of the model"}},
		{"an end", "\nexample.com", "", "", "", "example.com", nil, []string{"chat model"}},
		{"a flag", "\n\n\n", "example.org", "", "", "example.org", nil, []string{"E-mail domain"}},
	} {
		u := newUser(t)
		var out, errs strings.Builder
		args := []string{"init"}
		if row.flag != "" {
			args = append(args, "--domain", row.flag)
		}
		inv := u.invocation(strings.NewReader(row.in), &out, &errs, args...)
		inv.InTTY = true
		code := inv.run(t.Context())
		cfg, err := config.Load(filepath.Join(u.dir, config.DefaultFile), u.dir, noEnvironment)
		if code != exitOK || err != nil || cfg.Model.Name != row.model || cfg.Model.APIKey != row.key || strings.Join(cfg.Members.Domains, "") != row.domain {
			t.Errorf("%s: code %d, %v, %+v\n%s", row.name, code, err, cfg, errs.String())
		}
		for _, p := range row.prompts {
			if !strings.Contains(errs.String(), p) {
				t.Errorf("%s: %q is not asked", row.name, p)
			}
		}
		for _, p := range row.notPrompts {
			if strings.Contains(errs.String(), p) {
				t.Errorf("%s: %q is asked", row.name, p)
			}
		}
	}
}
