package cli

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const plainToken = "tok-4f9c1e7ab2d85063"

// withSecret is a user with a source whose settings hold a token.
func withSecret(t *testing.T) *user {
	t.Helper()
	u := newUser(t)
	u.write(library())
	u.must("source", "add", "files", "docs", "--name", "docs", "--set", "url_base=https://wiki.example.com/"+plainToken)
	return u
}

// holding lists the files of the data folder that hold the text.
func (u *user) holding(text string) (found []string) {
	u.t.Helper()
	err := filepath.WalkDir(filepath.Join(u.dir, "data"), func(path string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		raw, err := os.ReadFile(path)
		if bytes.Contains(raw, []byte(text)) {
			found = append(found, filepath.Base(path))
		}
		return err
	})
	if err != nil {
		u.t.Fatal(err)
	}
	return found
}

func (u *user) mode(name string) fs.FileMode {
	u.t.Helper()
	info, err := os.Stat(filepath.Join(u.dir, "data", name))
	if err != nil {
		u.t.Fatal(err)
	}
	return info.Mode().Perm()
}

// settings tells whether the source's settings can still be read.
func (u *user) settings() bool {
	return strings.Contains(u.must("source", "show", "docs", "--json"), plainToken)
}

func TestSecretsAreNotInTheDataFolder(t *testing.T) {
	t.Parallel()
	u := withSecret(t)
	if found := u.holding(plainToken); len(found) > 0 {
		t.Errorf("the token is in %v", found)
	}
	if u.mode("") != 0o700 || u.mode("secrets.key") != 0o600 || u.mode("footnote.db") != 0o600 {
		t.Errorf("modes: folder %v, key %v, ledger %v", u.mode(""), u.mode("secrets.key"), u.mode("footnote.db"))
	}
	if !u.settings() {
		t.Error("the settings cannot be read")
	}
}

func TestSecretRotate(t *testing.T) {
	t.Parallel()
	u := withSecret(t)
	key := func() string {
		raw, err := os.ReadFile(filepath.Join(u.dir, "data", keyFile))
		if err != nil {
			t.Fatal(err)
		}
		return string(raw)
	}
	before := key()
	u.must("secret", "rotate")
	if key() == before || !u.settings() || len(u.holding(plainToken)) > 0 || u.mode(keyFile) != 0o600 {
		t.Error("the key did not change, or what it opens is lost")
	}
	if out := u.must("audit"); !strings.Contains(out, "secrets new key") {
		t.Errorf("audit:\n%s", out)
	}
	// Stopped before the new file took the old one's place: either opens all.
	u.write(map[string]string{"data/secrets.key.new": key(), "data/secrets.key": before})
	if !u.settings() {
		t.Error("lost after a rotation that was stopped")
	}
	// From the file to a configured key, to another one, and back.
	first, second := strings.Repeat("a1", 32), "a long passphrase that nobody will guess"
	u.env["FOOTNOTE_SECRETS_KEY"] = first
	if !u.settings() {
		t.Error("lost on the way to a configured key")
	}
	if o := u.run("secret", "rotate"); o.code != exitDenied || !strings.Contains(o.err, "secrets.old_key") {
		t.Errorf("rotate with a configured key: %+v", o)
	}
	u.env["FOOTNOTE_SECRETS_KEY"], u.env["FOOTNOTE_SECRETS_OLD_KEY"] = second, first
	if !u.settings() {
		t.Error("lost on the way to another configured key")
	}
	delete(u.env, "FOOTNOTE_SECRETS_OLD_KEY")
	if !u.settings() || len(u.holding(second)) > 0 {
		t.Error("the old key is still needed, or the new one was kept")
	}
}

func TestLostAndWrongKeys(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name string
		harm func(*user)
		want string
	}{
		{"the file is lost", func(u *user) { os.Remove(filepath.Join(u.dir, "data", keyFile)) }, "secrets.key"},
		{"the file of another folder", func(u *user) { u.write(map[string]string{"data/secrets.key": strings.Repeat("b2", 32)}) }, "was not given"},
		{"the file is damaged", func(u *user) { u.write(map[string]string{"data/secrets.key": "oops"}) }, "holds no key"},
		{"a wrong key is configured", func(u *user) {
			os.Remove(filepath.Join(u.dir, "data", keyFile))
			u.env["FOOTNOTE_SECRETS_KEY"] = strings.Repeat("c3", 32)
		}, "was not given"},
	} {
		t.Run(row.name, func(t *testing.T) {
			u := withSecret(t)
			good, err := os.ReadFile(filepath.Join(u.dir, "data", keyFile))
			if err != nil {
				t.Fatal(err)
			}
			row.harm(u)
			for range 2 { // the first try must not make it worse
				if o := u.run("source", "list"); o.code != exitConfig || !strings.Contains(o.err, row.want) || !strings.Contains(o.err, "footnote secret reset") {
					t.Fatalf("%+v", o)
				}
			}
			delete(u.env, "FOOTNOTE_SECRETS_KEY")
			u.write(map[string]string{"data/secrets.key": string(good)})
			if !u.settings() {
				t.Error("the right key does not help any more")
			}
			row.harm(u)
			if row.name == "the file is damaged" {
				os.Remove(filepath.Join(u.dir, "data", keyFile))
			}
			if out := u.must("secret", "reset"); !strings.Contains(out, "source docs") {
				t.Errorf("reset: %s", out)
			}
			if o := u.run("source", "show", "docs", "--json"); o.code != 0 || strings.Contains(o.out, plainToken) {
				t.Errorf("after the reset: %+v", o)
			}
			u.must("source", "remove", "docs")
			u.must("source", "add", "files", "docs", "--name", "docs")
			if o := u.run("secret", "reset"); o.code != 0 || !strings.Contains(o.err, "nothing was forgotten") {
				t.Errorf("nothing to reset: %+v", o)
			}
		})
	}
	u := newUser(t)
	u.env["FOOTNOTE_SECRETS_KEY"] = "short"
	if o := u.run("source", "list"); o.code != exitConfig || !strings.Contains(o.err, "secrets.key") || strings.Contains(o.err, "short\"") {
		t.Errorf("a key that is too short: %+v", o)
	}
}
