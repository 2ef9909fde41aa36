package plugins_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/plugins"
)

// release puts a release for two platforms on the server: this one and plan9/386.
func release(t *testing.T, s *server, version, mark string, change func(map[string]any)) (address string) {
	t.Helper()
	archive := tarGz(t, member{name: "jira", body: program("jira", version, mark), mode: 0o755})
	other := tarGz(t, member{name: "jira", body: program("jira", version, mark+" plan9"), mode: 0o755})
	s.put("/"+version+"/jira_here.tar.gz", archive)
	s.put("/"+version+"/jira_plan9.tar.gz", other)
	m := map[string]any{
		"name": "jira", "version": version, "protocol": 1, "footnote": "1.2.0",
		"platforms": map[string]any{
			here:        map[string]any{"url": "jira_here.tar.gz", "sha256": sum(archive), "executable": sum(program("jira", version, mark))},
			"plan9/386": map[string]any{"url": s.URL + "/" + version + "/jira_plan9.tar.gz", "sha256": sum(other)},
		},
	}
	if change != nil {
		change(m)
	}
	text, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	return s.put("/"+version+"/plugin.json", text)
}

func TestInstallFromAManifest(t *testing.T) {
	m, s := newMachine(t), newServer(t)
	address := release(t, s, "1.2.0", "a", nil)
	l := m.must(plugins.Wanted{Ref: address})
	if l.Name != "jira" || l.Source != address || len(l.Downloads) != 2 || l.Downloads[here].URL != s.URL+"/1.2.0/jira_here.tar.gz" {
		t.Errorf("locked = %+v", l)
	}
	if err := m.run("jira"); err != nil {
		t.Error(err)
	}
	p, err := m.Plan(t.Context(), plugins.Wanted{Ref: address})
	if err != nil || !p.Present {
		t.Errorf("a second time: %+v, %v", p, err)
	}
	m.must(plugins.Wanted{Ref: release(t, s, "1.3.0", "a", nil)})
	if l, err := m.Find("jira"); err != nil || l.Version != "1.3.0" {
		t.Errorf("upgraded: %+v, %v", l, err)
	}
	if err := m.run("jira"); err != nil {
		t.Error(err)
	}
}

// A lock that was written on one machine serves another: of the same platform, and
// of one whose program it has never seen.
func TestLockServesAnotherMachine(t *testing.T) {
	m, s := newMachine(t), newServer(t)
	m.must(plugins.Wanted{Ref: release(t, s, "1.2.0", "a", nil)})
	locked := m.lock()

	same := m.elsewhere("")
	wantError(t, same.run("jira"), core.KindNotFound, "cannot be read", "footnote plugin install")
	same.must(plugins.Wanted{Ref: "jira"})
	if err := same.run("jira"); err != nil || same.lock() != locked {
		t.Errorf("%v\n%s", err, same.lock())
	}

	plan9 := m.elsewhere("plan9/386")
	wantError(t, plan9.run("jira"), core.KindNotFound, "footnote plugin install jira")
	plan9.must(plugins.Wanted{Ref: "jira"})
	if err := plan9.run("jira"); err != nil {
		t.Error(err)
	}
	if l, err := m.Find("jira"); err != nil || len(l.Programs) != 2 {
		t.Errorf("both platforms are locked: %+v, %v", l, err)
	}

	mips := m.elsewhere("linux/mips")
	for _, err := range []error{mips.run("jira"), func() error { _, err := mips.install(plugins.Wanted{Ref: "jira"}); return err }()} {
		wantError(t, err, core.KindNotFound, "has nothing for linux/mips", here, "plan9/386")
	}
}

func TestReleasedAgain(t *testing.T) {
	m, s := newMachine(t), newServer(t)
	address := release(t, s, "1.2.0", "a", nil)
	m.must(plugins.Wanted{Ref: address})
	release(t, s, "1.2.0", "b", nil)
	m.fails(plugins.Wanted{Ref: address}, core.KindConfig, "released again", "1.2.0", "out of the lock")
	m.elsewhere("").fails(plugins.Wanted{Ref: "jira"}, core.KindConfig, "released again")
	if err := m.run("jira"); err != nil {
		t.Errorf("what is installed: %v", err)
	}
	// The same archive with another program in it cannot be: but a manifest can lie.
	liar := release(t, s, "2.0.0", "a", func(x map[string]any) {
		x["platforms"].(map[string]any)[here].(map[string]any)["executable"] = strings.Repeat("0", 64)
	})
	m.fails(plugins.Wanted{Ref: liar}, core.KindConfig, "0000", "Nothing was installed")
}

func TestBadManifests(t *testing.T) {
	for _, row := range []struct {
		name   string
		change func(map[string]any)
		kind   core.Kind
		words  []string
	}{
		{"newer protocol", func(x map[string]any) { x["protocol"] = 2 }, core.KindConfig, []string{"protocol 2", "upgrade Footnote"}},
		{"no protocol", func(x map[string]any) { delete(x, "protocol") }, core.KindConfig, []string{"protocol 0", "upgrade the connector"}},
		{"newer Footnote", func(x map[string]any) { x["footnote"] = "1.10.0" }, core.KindConfig, []string{"1.10.0", "v1.4.2", "upgrade Footnote"}},
		{"no such version", func(x map[string]any) { x["footnote"] = "new" }, core.KindInvalid, []string{`"new"`}},
		{"bundled name", func(x map[string]any) { x["name"] = "files" }, core.KindConflict, []string{"comes with Footnote"}},
		{"name that leads away", func(x map[string]any) { x["name"] = "../x" }, core.KindInvalid, []string{`"../x"`}},
		{"version that leads away", func(x map[string]any) { x["version"] = "../x" }, core.KindInvalid, []string{`"../x"`}},
		{"another name inside", func(x map[string]any) { x["name"] = "confluence" }, core.KindInvalid, []string{"confluence 1.2.0", "jira 1.2.0"}},
		{"another version inside", func(x map[string]any) { x["version"] = "1.9.0" }, core.KindInvalid, []string{"jira 1.9.0", "jira 1.2.0"}},
		{"no platforms", func(x map[string]any) { delete(x, "platforms") }, core.KindInvalid, []string{"no platforms"}},
		{"not for this one", func(x map[string]any) { delete(x["platforms"].(map[string]any), here) }, core.KindNotFound, []string{"no release for " + here, "plan9/386"}},
		{"bad sum", func(x map[string]any) {
			x["platforms"].(map[string]any)["plan9/386"].(map[string]any)["sha256"] = "abc"
		}, core.KindInvalid, []string{"plan9/386", "64"}},
		{"bad platform", func(x map[string]any) { x["platforms"].(map[string]any)["x\ny"] = map[string]any{} }, core.KindInvalid, []string{`"x y"`}},
		{"off https", func(x map[string]any) {
			x["platforms"].(map[string]any)["plan9/386"].(map[string]any)["url"] = "http://example.org/x"
		}, core.KindInvalid, []string{"plan9/386", "https only"}},
		{"file address", func(x map[string]any) {
			x["platforms"].(map[string]any)[here].(map[string]any)["url"] = "file:///bin/sh"
		}, core.KindInvalid, []string{here}},
	} {
		t.Run(row.name, func(t *testing.T) {
			m, s := newMachine(t), newServer(t)
			m.fails(plugins.Wanted{Ref: release(t, s, "1.2.0", "a", row.change)}, row.kind, row.words...)
		})
	}
	m, s := newMachine(t), newServer(t)
	m.fails(plugins.Wanted{Ref: s.put("/plugin.json", []byte("<html>"))}, core.KindInvalid, "not a manifest", "/plugin.json")
	m.fails(plugins.Wanted{Ref: s.put("/big.json", make([]byte, 2<<20))}, core.KindTooLarge, "1.0 MiB")
}

// A manifest may lie on this machine; then its addresses have to be whole.
func TestManifestFile(t *testing.T) {
	m, s := newMachine(t), newServer(t)
	release(t, s, "1.2.0", "a", nil)
	text := s.files["/1.2.0/plugin.json"]
	m.write("plugin.json", text)
	m.fails(plugins.Wanted{Ref: "plugin.json"}, core.KindInvalid, "jira_here.tar.gz", "has no beginning")
	m.write("plugin.json", []byte(strings.Replace(string(text), `"jira_here`, `"`+s.URL+`/1.2.0/jira_here`, 1)))
	if l := m.must(plugins.Wanted{Ref: "plugin.json"}); l.Source != "plugin.json" {
		t.Errorf("locked = %+v", l)
	}
}
