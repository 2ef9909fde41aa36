package cli

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/footnote-bot/footnote/internal/cli/config"
)

func TestDifferences(t *testing.T) {
	t.Parallel()
	old := config.Config{DataDir: "data", Curators: []string{"ann"}, Sources: []config.Source{{Name: "wiki", Config: map[string]any{"dir": "docs"}}}}
	next := old
	next.Sources = []config.Source{{Name: "wiki", Config: map[string]any{"dir": "docs"}}}
	if now, later := differences(old, next); now != nil || later != nil {
		t.Errorf("the same says something else: %v, %v", now, later)
	}
	next.Sources[0].Every, next.DataDir, next.Model.Name = time.Hour, "other", "m"
	now, later := differences(old, next)
	if !slices.Equal(now, []string{"sources"}) || !slices.Equal(later, []string{"data_dir", "model"}) {
		t.Errorf("now %v, later %v", now, later)
	}
	used := inUse(old, next)
	if used.DataDir != "data" || used.Model.Name != "" || used.Sources[0].Every != time.Hour {
		t.Errorf("in use: %+v", used)
	}
	var all []string
	for f := range reflect.TypeFor[config.Config]().Fields() {
		all = append(all, f.Tag.Get("yaml"))
	}
	for _, key := range reloadable {
		if !slices.Contains(all, key) {
			t.Errorf("%s is no key of the configuration", key)
		}
	}
}

const reloadBefore = `sources:
  - {name: wiki, connector: files, access: workspace, config: {dir: docs}}
agents:
  - {name: default, instructions: Be brief.}
`

// What can change changes while questions are answered; what cannot is named, and a
// file with a mistake changes nothing.
func TestReload(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	u.write(map[string]string{"docs/leave.md": "# Leave\n\n28 days.\n", "footnote.yaml": reloadBefore})
	s := u.serving()
	if out := u.must("reload"); !strings.Contains(out, "nothing changed") {
		t.Errorf("without a change: %s", out)
	}
	u.write(map[string]string{"footnote.yaml": reloadBefore + `  - {name: support, instructions: Be kind.}
places:
  - {id: "slack:T1/C1", mode: "off"}
members: {domains: [example.com]}
model: {base_url: "http://127.0.0.1:1/v1", name: m}
`})
	if got := u.run("agent", "list"); !strings.Contains(got.err, "footnote reload") {
		t.Errorf("nobody is told to reload: %s", got.err)
	}
	out := u.must("reload")
	for _, want := range []string{"changed: members, agents, places", "started again: model"} {
		if !strings.Contains(out, want) {
			t.Errorf("reload does not say %q: %s", want, out)
		}
	}
	if got := u.run("agent", "list"); !strings.Contains(got.out, "support") || strings.Contains(got.err, "reload") {
		t.Errorf("after a reload: %s%s", got.out, got.err)
	}
	u.write(map[string]string{"footnote.yaml": reloadBefore + "colections: []\n"})
	got := u.run("reload")
	if got.code != exitConfig || !strings.Contains(got.err, "footnote.yaml, line 5") || !strings.Contains(got.err, "colections") {
		t.Errorf("code %d, %s", got.code, got.err)
	}
	u.write(map[string]string{"footnote.yaml": reloadBefore})
	if out := u.must("agent", "list"); !strings.Contains(out, "support") {
		t.Errorf("a mistake in the file changed something: %s", out)
	}
	// What a command added keeps its name.
	u.must("reload")
	u.must("agent", "add", "sales", "--instructions", "Be quick.")
	u.write(map[string]string{"footnote.yaml": reloadBefore + "  - {name: sales, instructions: No.}\ngroups: [{name: g, members: [ann@example.com]}]\n"})
	if got := u.run("reload"); got.code != exitConfig || !strings.Contains(got.err, "sales") {
		t.Errorf("code %d, %s", got.code, got.err)
	}
	s.stop()
	u.write(map[string]string{"footnote.yaml": reloadBefore})
	if got := u.run("reload"); got.code != exitNotFound {
		t.Errorf("with nothing that runs: code %d, %s", got.code, got.err)
	}
}

// SIGHUP does the same, and the lost source's schedule is gone with it.
func TestHangupReloads(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	u.write(map[string]string{"docs/leave.md": "# Leave\n\n28 days.\n", "footnote.yaml": reloadBefore})
	s := u.serving()
	u.write(map[string]string{"footnote.yaml": strings.Replace(reloadBefore, "workspace", "workspace, every: 1h", 1)})
	s.hangups.Signal()
	eventually(t, "SIGHUP changes the schedule", func() bool { return strings.Contains(u.must("source", "show", "wiki"), "every 1h") })
	eventually(t, "the new schedule reads wiki", func() bool { return strings.Contains(u.run("search", "leave").out, "28 days") })
}
