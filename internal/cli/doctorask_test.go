package cli

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/internal/cli/config"
)

// setPlace changes what footnote.yaml says of a place.
func setPlace(a *app, id string, edit func(*config.Place)) {
	for i := range a.cfg.Places {
		if a.cfg.Places[i].ID == id {
			edit(&a.cfg.Places[i])
			return
		}
	}
	one := config.Place{ID: id}
	edit(&one)
	a.cfg.Places = append(a.cfg.Places, one)
}

func TestDoctorAsk(t *testing.T) {
	t.Parallel()
	u, a := office(t)
	setPlace(a, "slack:T1/C3", func(p *config.Place) { p.Allow, p.OnlySourced = []string{"ann@example.com"}, true })
	before, err := a.store.Counts(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		name, args, class, may string
		asker                  bool
	}{
		{"a direct message", "dm --as ann@example.com", "dm", "yes", true},
		{"a public channel", "slack:T1/C1", "public_channel", "yes", false},
		{"a list, in it", "slack:T1/C3 --as ann@example.com", "private_channel", "yes", false},
		{"a list, not in it", "slack:T1/C3 --as bob@example.com", "private_channel", "no", false},
		{"another kind", "slack:T1/C1 --kind connect_channel", "connect_channel", "yes", false},
	} {
		o := u.in(a, append([]string{"doctor", "ask", "--json"}, strings.Fields(row.args)...)...)
		var v dryView
		if err := json.Unmarshal([]byte(o.out), &v); err != nil || o.code != 0 {
			t.Fatalf("%s: %v, %+v", row.name, err, o)
		}
		if v.Class != row.class || v.MayAsk != row.may || v.AskerOnly != row.asker {
			t.Errorf("%s: %+v", row.name, v)
		}
	}
	if o := u.in(a, "doctor", "ask", "slack:T1/C3", "--as", "ann@example.com"); !strings.Contains(o.out, "may ask there: yes") || !strings.Contains(o.out, "without a source is not posted") {
		t.Errorf("%+v", o)
	}
	if o := u.in(a, "doctor", "ask"); o.code != exitUsage {
		t.Errorf("without a place: %+v", o)
	}
	if o := u.in(a, "doctor", "ask", "slack:T1/C99"); o.code != exitNotFound {
		t.Errorf("a place that is not known: %+v", o)
	}
	after, err := a.store.Counts(t.Context())
	if err != nil || before != after {
		t.Errorf("a dry question left something: %+v, before %+v, %v", after, before, err)
	}
}

func TestDoctorNamesUnresolvedEntries(t *testing.T) {
	t.Parallel()
	_, a := office(t)
	if err := a.store.PutAccount(t.Context(), core.Account{Platform: "slack", Team: "T1", ID: "U1", Email: "ann@example.com"}); err != nil {
		t.Fatal(err)
	}
	for place, allow := range map[string][]string{"slack:T1/C3": {"ann@example.com", "gone@example.com"}, "slack:T1/C2": {"ann@example.com"}, "slack:T1/C9": {}} {
		setPlace(a, place, func(p *config.Place) { p.Allow = allow })
	}
	a.cfg.Slack = nil // no Slack to be asked about groups here
	got := map[string]check{}
	for _, k := range a.checkLists(t.Context()) {
		got[k.Name] = k
	}
	if k := got["place slack:T1/C3: allow"]; k.Outcome != warned || !strings.Contains(k.Detail, "gone@example.com") || strings.Contains(k.Detail, "ann@") || k.Fix == "" {
		t.Errorf("%+v", k)
	}
	if k := got["place slack:T1/C2: allow"]; k.Outcome != passed {
		t.Errorf("%+v", k)
	}
	if k := got["place slack:T1/C9: allow"]; k.Outcome != warned || !strings.Contains(k.Detail, "nobody") {
		t.Errorf("an empty list: %+v", k)
	}
}

// A dry question lists what would be found, as the place shows it, and keeps no turn.
func TestDoctorAskAQuestion(t *testing.T) {
	t.Parallel()
	u := withLibrary(t)
	var v dryView
	if err := json.Unmarshal([]byte(u.must("doctor", "ask", "--json", "public", "Where", "do", "visitors", "park?")), &v); err != nil {
		t.Fatal(err)
	}
	if len(v.Documents) == 0 || v.Documents[0].ID != "docs/parking.md" || v.Documents[0].Shown == "" || v.Question != "Where do visitors park?" {
		t.Fatalf("%+v", v)
	}
	if text := u.must("doctor", "ask", "public", "Where do visitors park?"); !strings.Contains(text, "(docs/parking.md): "+v.Documents[0].Shown) {
		t.Errorf("%s", text)
	}
	// A stranger reads nothing of the workspace.
	if text := u.must("doctor", "ask", "dm", "--as", "eve@else.where", "Where do visitors park?"); !strings.Contains(text, "finds nothing") {
		t.Errorf("%s", text)
	}
	if o := u.run("explain"); o.code != exitNotFound {
		t.Errorf("a turn was kept: %+v", o)
	}
}
