package slack

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/slack-go/slack"

	"github.com/footnote-bot/footnote/bot/slack/slacktest"
	"github.com/footnote-bot/footnote/core"
)

func TestKindOfAPlace(t *testing.T) {
	for _, row := range []struct {
		name  string
		about about
		crowd crowd
		want  core.PlaceKind
	}{
		{"public", about{}, crowd{}, core.PlacePublic},
		{"private", about{private: true}, crowd{}, core.PlacePrivate},
		{"public with a guest", about{}, crowd{guests: true}, core.PlaceGuests},
		{"private with a guest", about{private: true}, crowd{guests: true}, core.PlaceGuests},
		{"direct", about{im: true}, crowd{}, core.PlaceDirect},
		{"group", about{mpim: true, private: true}, crowd{}, core.PlaceGroup},
		{"group with a guest", about{mpim: true}, crowd{guests: true}, core.PlaceGroup},
		{"group with an outsider", about{mpim: true}, crowd{outside: true}, core.PlaceConnect},
		{"shared", about{shared: true}, crowd{}, core.PlaceConnect},
		{"shared with somebody unknown", about{shared: true}, crowd{unknown: true}, core.PlaceConnect},
		{"somebody unknown", about{}, crowd{unknown: true}, core.PlaceUnknown},
		{"outsider without the mark of a shared channel", about{private: true}, crowd{outside: true, guests: true}, core.PlaceConnect},
	} {
		if got := kindOf(row.about, row.crowd); got != row.want {
			t.Errorf("%s: %s, want %s", row.name, got, row.want)
		}
	}
}

func TestEveryHintOfOutsidersCounts(t *testing.T) {
	own := who{Team: "T1"}
	for name, raw := range map[string]string{
		"is_ext_shared":         `{"is_ext_shared": true}`,
		"is_pending_ext_shared": `{"is_pending_ext_shared": true}`,
		"is_org_shared":         `{"is_org_shared": true}`,
		"pending_shared":        `{"pending_shared": ["T2"]}`,
		"connected_team_ids":    `{"connected_team_ids": ["T1", "T2"]}`,
		"shared_team_ids":       `{"shared_team_ids": ["T1", "T2"]}`,
	} {
		var c slack.Channel
		if err := json.Unmarshal([]byte(raw), &c); err != nil {
			t.Fatal(err)
		}
		if !aboutOf(&c, own).shared {
			t.Errorf("%s: not shared", name)
		}
	}
	var c slack.Channel
	if err := json.Unmarshal([]byte(`{"shared_team_ids": ["T1"], "context_team_id": "T1"}`), &c); err != nil {
		t.Fatal(err)
	}
	if aboutOf(&c, own).shared {
		t.Error("the workspace's own channel counts as shared")
	}
}

func TestClassOfAnAccount(t *testing.T) {
	own := who{Team: "T1", Enterprise: "E1"}
	for name, row := range map[string]struct {
		user string
		want core.AccountClass
	}{
		"member":             {`{"id":"U1","team_id":"T1"}`, core.AccountMember},
		"guest":              {`{"id":"U1","team_id":"T1","is_restricted":true}`, core.AccountGuest},
		"one channel guest":  {`{"id":"U1","team_id":"T1","is_ultra_restricted":true}`, core.AccountGuest},
		"deactivated member": {`{"id":"U1","team_id":"T1","deleted":true}`, core.AccountDeactivated},
		"stranger":           {`{"id":"U1","team_id":"T1","is_stranger":true}`, core.AccountExternal},
		"other team":         {`{"id":"U1","team_id":"T2"}`, core.AccountExternal},
		"no team":            {`{"id":"U1"}`, core.AccountExternal},
		"organisation":       {`{"id":"U1","team_id":"E1","enterprise_user":{"teams":["T1"]}}`, core.AccountMember},
		"other workspace":    {`{"id":"U1","team_id":"T3","enterprise_user":{"teams":["T3"]}}`, core.AccountExternal},
		"bot":                {`{"id":"U1","team_id":"T1","is_bot":true}`, core.AccountBot},
		"workflow":           {`{"id":"U1","team_id":"T1","is_workflow_bot":true}`, core.AccountBot},
		"slackbot":           {`{"id":"USLACKBOT","team_id":"T1"}`, core.AccountBot},
	} {
		var u slack.User
		if err := json.Unmarshal([]byte(row.user), &u); err != nil {
			t.Fatal(err)
		}
		if got := classOf(u, own); got != row.want {
			t.Errorf("%s: %q, want %q", name, got, row.want)
		}
	}
}

func TestPlaceFacts(t *testing.T) {
	w := newWorld(t, nil)
	a := w.bot.apps[0]
	a.config.Sources = []string{"chat"}
	p := a.place(t.Context(), "C1", "1.2")
	if p.Kind != core.PlacePublic || p.ID != "slack:T1/C1" || p.Thread != "slack:T1/C1/1.2" || p.Team != "T1" || !p.Home ||
		len(p.Own) != 1 || p.Own[0] != core.Group("chat", "C1") || p.Name != "general" {
		t.Errorf("place %+v", p)
	}
	if k := a.place(t.Context(), "G1", "").Kind; k != core.PlacePrivate {
		t.Errorf("private channel: %s", k)
	}
	if k := a.place(t.Context(), "C99", "").Kind; k != core.PlaceUnknown {
		t.Errorf("a channel that does not exist: %s", k)
	}
	calls := len(w.Calls("conversations.info"))
	a.place(t.Context(), "C1", "")
	if n := len(w.Calls("conversations.info")); n != calls {
		t.Errorf("the facts were asked for again within a minute")
	}
	w.JoinChannel("C1", "U3", "U1")
	w.Eventually("a guest in the channel", func() bool { return a.place(context.Background(), "C1", "").Kind == core.PlaceGuests })
	w.LeaveChannel("C1", "U3")
	w.Eventually("no guest in the channel", func() bool { return a.place(context.Background(), "C1", "").Kind == core.PlacePublic })
	w.Fail("conversations.members", slacktest.Fault{Error: "fetch_members_failed"})
	a.places.changed("C1")
	if k := a.place(t.Context(), "C1", "").Kind; k != core.PlaceUnknown {
		t.Errorf("members cannot be read: %s", k)
	}
}

func TestWithoutARosterGuestsAreAssumed(t *testing.T) {
	w := newWorld(t, nil)
	a := w.bot.apps[0]
	a.roster.mu.Lock()
	a.roster.at = time.Time{}
	a.roster.mu.Unlock()
	if c := a.places.sort(t.Context(), []string{"U1", "U2"}); c.guests || c.unknown {
		t.Errorf("few members are asked for one by one: %+v", c)
	}
	many := make([]string, mostAsked, mostAsked+1)
	for i := range many {
		many[i] = "U1"
	}
	if c := a.places.sort(t.Context(), append(many, "U2")); !c.guests {
		t.Errorf("more members than can be asked for: %+v", c)
	}
}

func TestForeignAskersHaveNoAddress(t *testing.T) {
	w := newWorld(t, nil)
	a := w.bot.apps[0]
	if p := a.people.asker(t.Context(), "U1", "", false); p.Class != core.AccountMember || p.Email != "ann@example.com" || !p.Verified || p.zone == nil {
		t.Errorf("member %+v", p)
	}
	if p := a.people.asker(t.Context(), "U1", "", true); p.Class != core.AccountExternal || p.Email != "" || p.Verified {
		t.Errorf("from another team: %+v", p)
	}
	if p := a.people.asker(t.Context(), "", "B9", false); p.Class != core.AccountBot || p.Key() != "slack:T1/B9" {
		t.Errorf("webhook: %+v", p)
	}
	w.Fail("users.info", slacktest.Fault{Error: "user_not_found"})
	if p := a.people.asker(t.Context(), "U77", "", false); p.Class != core.AccountUnknown || p.Email != "" {
		t.Errorf("not to be found: %+v", p)
	}
	e := event{UserTeam: "T2"}
	if !e.foreign(who{Team: "T1"}) || (event{UserTeam: "E1", SourceTeam: "T1"}).foreign(who{Team: "T1", Enterprise: "E1"}) {
		t.Error("foreign events are not told apart")
	}
}

func TestTextOfAMessage(t *testing.T) {
	for name, row := range map[string]struct{ raw, want string }{
		"text":   {`{"text": " hello "}`, "hello"},
		"blocks": {`{"text":"","blocks":[{"type":"rich_text","elements":[{"type":"rich_text_section","elements":[{"type":"text","text":"ask "},{"type":"user","user_id":"U1"},{"type":"hologram","text":" now","size":{"x":[1]}}]}]}]}`, "ask <@U1> now"},
		"link":   {`{"blocks":[{"type":"rich_text","elements":[{"type":"rich_text_section","elements":[{"type":"link","url":"https://a.example","text":"A"}]}]}]}`, "A (https://a.example)"},
		"section": {
			`{"blocks":[{"type":"section","text":{"type":"mrkdwn","text":"one"}},{"type":"future","elements":[{"type":"text","text":"two"}]}]}`, "one\n\ntwo",
		},
		"attachment": {`{"attachments":[{"title":"T","text":"body"}]}`, "body"},
		"odd types":  {`{"text":"","blocks":{"type":7},"attachments":"no"}`, ""},
	} {
		var e event
		if err := json.Unmarshal([]byte(row.raw), &e); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := e.plain(); got != row.want {
			t.Errorf("%s: %q, want %q", name, got, row.want)
		}
	}
}

func TestReadableText(t *testing.T) {
	n := names{users: map[string]string{"U1": "ann"}, channels: map[string]string{"C1": "general"}, groups: map[string]string{"S1": "support"}}
	for in, want := range map[string]string{
		"<@UBOT> what is <#C1>?":                        "what is #general?",
		"<@U1> said <#C2|random>":                       "@ann said #random",
		"<@U2>, <#C9> and <!subteam^S1> <!here>":        "@somebody, #a-channel and @support @here",
		"see <https://a.example/?a=1&amp;b=2|the page>": "see the page (https://a.example/?a=1&b=2)",
		"a &lt;b&gt; &amp;amp; c":                       "a <b> &amp; c",
		"<mailto:a@b.example|a@b.example>":              "a@b.example",
	} {
		if got := readable(in, "UBOT", n); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
	if mentioned("<@UBOT2> hello", "UBOT") || !mentioned("hello <@UBOT|bot>", "UBOT") {
		t.Error("the bot is named by its whole id")
	}
}

// TestMembersAreReadOnlyWhereTheyMatter counts what it costs to know who reads a
// channel.
func TestMembersAreReadOnlyWhereTheyMatter(t *testing.T) {
	w := newWorld(t, nil)
	a := w.bot.apps[0]
	reads := func() int { return len(w.Calls("conversations.members")) }
	a.place(t.Context(), "C1", "")
	if reads() != 1 {
		t.Fatalf("the workspace has guests, so the members have to be read: %d reads", reads())
	}
	w.JoinChannel("C1", "U3", "U1")
	w.Eventually("the guest", func() bool {
		a.places.mu.Lock()
		c := a.places.crowds["C1"]
		a.places.mu.Unlock()
		return c.guests && !c.doubt
	})
	if k := a.place(t.Context(), "C1", "").Kind; k != core.PlaceGuests || reads() != 1 {
		t.Errorf("a guest came: %s, %d reads", k, reads())
	}
	a.places.moved("C1") // an event that was not handled yet
	if a.place(t.Context(), "C1", ""); reads() != 2 {
		t.Errorf("in doubt the members are read: %d reads", reads())
	}
	w.ChangeUser("U3", func(u *slacktest.User) { u.Deleted = true })
	if err := a.roster.load(t.Context()); err != nil {
		t.Fatal(err)
	}
	a.places.changed("C1")
	if k := a.place(t.Context(), "C1", "").Kind; k != core.PlacePublic || reads() != 2 {
		t.Errorf("without any guest in the workspace: %s, %d reads", k, reads())
	}
	a.roster.see("U77", core.AccountGuest)
	if a.place(t.Context(), "C1", ""); reads() != 3 {
		t.Errorf("a new guest is known: %d reads", reads())
	}
}

func TestReadersOfAGroup(t *testing.T) {
	w := newWorld(t, nil)
	p := w.bot.apps[0].place(t.Context(), "M1", "")
	if p.Kind != core.PlaceGroup || len(p.Members) != 2 {
		t.Fatalf("place %+v", p)
	}
	held := core.NewAccess(append(p.Members[0], p.Members[1]...)...)
	for _, want := range []core.Principal{core.User("ann@example.com"), core.User("bob@example.com")} {
		if !held.Allows([]core.Principal{want}) {
			t.Errorf("%s is missing in %v", want, p.Members)
		}
	}
}
