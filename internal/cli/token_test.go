package cli

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var secretForm = regexp.MustCompile(`^fn_[A-Za-z0-9_-]{43}\n$`)

func TestTokenIsShownOnceAndKeptAsAHash(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	o := u.run("token", "create", "--as", "Dev@Example.com", "--name", "ci")
	if o.code != 0 || !secretForm.MatchString(o.out) || strings.Contains(o.err, strings.TrimSpace(o.out)) {
		t.Fatalf("outcome = %+v", o)
	}
	secret := strings.TrimSpace(o.out)
	if again := u.must("token", "create", "--as", "dev@example.com"); again == o.out {
		t.Error("the same token twice")
	}
	filepath.WalkDir(filepath.Join(u.dir, "data"), func(path string, e os.DirEntry, err error) error {
		if err == nil && e.Type().IsRegular() {
			if raw, _ := os.ReadFile(path); bytes.Contains(raw, []byte(secret)) {
				t.Errorf("%s holds the token", path)
			}
		}
		return nil
	})
	tokens := u.tokens()
	if len(tokens) != 2 || tokens[0].Name != "ci" || tokens[0].As != "dev@example.com" || tokens[0].From != "command" || tokens[1].Name != tokens[1].ID {
		t.Fatalf("tokens = %+v", tokens)
	}
	if out := u.must("token", "list"); strings.Contains(out, secret) || !strings.Contains(out, "ci") || !strings.Contains(out, "dev@example.com") {
		t.Errorf("list = %s", out)
	}
	u.must("token", "revoke", tokens[0].ID)
	if left := u.tokens(); len(left) != 1 || left[0].ID != tokens[1].ID {
		t.Errorf("left = %+v", left)
	}
	if o := u.run("token", "revoke", tokens[0].ID); o.code != exitNotFound {
		t.Errorf("revoking twice: %+v", o)
	}
	trail := u.must("audit", "--action", "config")
	for _, want := range []string{"speaks_for dev@example.com, token " + tokens[0].ID, "speaks_for dev@example.com, token " + tokens[1].ID, "removed yes, token " + tokens[0].ID} {
		if strings.Count(trail, want) != 1 {
			t.Errorf("%q is not once in the audit:\n%s", want, trail)
		}
	}
}

// tokens is what token list --json shows.
func (u *user) tokens() []shownToken {
	u.t.Helper()
	var out []shownToken
	for line := range strings.Lines(u.must("token", "list", "--json")) {
		var one shownToken
		if err := json.Unmarshal([]byte(line), &one); err != nil {
			u.t.Fatal(err)
		}
		out = append(out, one)
	}
	return out
}

func TestListedTokens(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	o := u.run("token", "create", "--as", "dev@example.com", "--hash")
	if o.code != 0 || !strings.HasPrefix(o.out, "- {as: ") || strings.Contains(o.out, "fn_") {
		t.Fatalf("outcome = %+v", o)
	}
	secret := regexp.MustCompile(`fn_\S+`).FindString(o.err)
	if !strings.Contains(o.out, hashOf(secret)) {
		t.Errorf("%q is not the hash of %q", o.out, secret)
	}
	if _, err := os.Stat(filepath.Join(u.dir, "data")); err == nil {
		t.Error("--hash keeps something")
	}
	u.write(map[string]string{"footnote.yaml": "tokens:\n  " + o.out})
	tokens := u.tokens()
	if len(tokens) != 1 || tokens[0].From != "config" || tokens[0].As != "dev@example.com" {
		t.Fatalf("tokens = %+v", tokens)
	}
	if o := u.run("token", "revoke", tokens[0].ID); o.code != exitDenied || !strings.Contains(o.err, "configuration file") {
		t.Errorf("revoking it: %+v", o)
	}
}

func TestTokenMistakesAreNamed(t *testing.T) {
	t.Parallel()
	hash := strings.Repeat("ab", 32)
	for _, row := range []struct {
		name, config string
		args         []string
		code         int
		want         string
	}{
		{"nobody", "", []string{"create"}, exitUsage, "--as"},
		{"no address", "", []string{"create", "--as", "dev"}, exitUsage, `"dev"`},
		{"bad name", "", []string{"create", "--as", "a@b.c", "--name", "A B"}, exitUsage, "--name"},
		{"name of a listed one", "", []string{"create", "--as", "a@b.c", "--name", "config-x"}, exitUsage, "config-"},
		{"words", "", []string{"create", "a@b.c"}, exitUsage, "a@b.c"},
		{"no id", "", []string{"revoke"}, exitUsage, "token list"},
		{"short hash", "tokens: [{as: a@b.c, token_hash: abc}]", []string{"list"}, exitConfig, "tokens[0].token_hash"},
		{"no person", "tokens: [{token_hash: " + hash + "}]", []string{"list"}, exitConfig, "tokens[0].as"},
		{"twice", "tokens: [{as: a@b.c, token_hash: " + hash + "}, {as: d@e.f, token_hash: " + strings.ToUpper(hash) + "}]", []string{"list"}, exitConfig, "tokens[0]"},
	} {
		t.Run(row.name, func(t *testing.T) {
			u := newUser(t)
			u.write(map[string]string{"footnote.yaml": row.config})
			if o := u.run(append([]string{"token"}, row.args...)...); o.code != row.code || !strings.Contains(o.err, row.want) {
				t.Errorf("outcome = %+v", o)
			}
		})
	}
	u := newUser(t)
	u.must("token", "create", "--as", "a@b.c", "--name", "x")
	if o := u.run("token", "create", "--as", "a@b.c", "--name", "x"); o.code == 0 || !strings.Contains(o.err, `"x"`) {
		t.Errorf("the same name twice: %+v", o)
	}
}
