package bot

import (
	"testing"
	"time"

	"github.com/footnote-bot/footnote/core"
)

func TestFollows(t *testing.T) {
	now := time.Date(2027, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, row := range []struct {
		name string
		edit func(*Follow)
		want bool
	}{
		{"a follow-up", func(*Follow) {}, true},
		{"a statement", func(f *Follow) { f.Text = "I mean the other form" }, true},
		{"after a day less a second", func(f *Follow) { f.Thread.Last = now.Add(time.Second - followIdle) }, true},
		{"after a day", func(f *Follow) { f.Thread.Last = now.Add(-followIdle - time.Second) }, false},
		{"somebody else", func(f *Follow) { f.Account = "slack:T1/U9" }, false},
		{"nobody", func(f *Follow) { f.Account = "" }, false},
		{"thread of others", func(f *Follow) { f.Started = false }, false},
		{"no turn yet", func(f *Follow) { f.Thread.Turns = 0 }, false},
		{"told to be quiet", func(f *Follow) { f.Thread.Stopped = true }, false},
		{"addressed to another", func(f *Follow) { f.Mention = true }, false},
		{"switched off", func(f *Follow) { f.Mode = ModeOff }, false},
		{"where only questions are answered", func(f *Follow) { f.Mode = ModeQuestions }, true},
		{"no words", func(f *Follow) { f.Text = " \n" }, false},
		{"thanks", func(f *Follow) { f.Text = "Thanks a lot!" }, false},
		{"stop", func(f *Follow) { f.Text = "Stop it." }, false},
	} {
		t.Run(row.name, func(t *testing.T) {
			f := Follow{
				Mode: ModeMention, Started: true, Account: "slack:T1/U1", Text: "And for guests?", Now: now,
				Thread: core.ThreadFacts{People: []string{"slack:T1/U2", "slack:T1/U1"}, Turns: 1, Last: now.Add(-time.Hour)},
			}
			if row.edit(&f); Follows(f) != row.want {
				t.Errorf("Follows = %v", !row.want)
			}
		})
	}
}

func TestLoops(t *testing.T) {
	for turns, want := range map[int]bool{0: false, 2: false, 3: true, 9: true} {
		if got := Loops(core.ThreadFacts{Turns: 10, BotTurns: turns}); got != want {
			t.Errorf("%d turns of bots: %v", turns, got)
		}
	}
}

func TestClosingWords(t *testing.T) {
	for text, want := range map[string][2]bool{ // stop, thanks
		"stop": {true, false}, "STOP!": {true, false}, "*stop*": {true, false}, "please, stop.": {true, false}, "arre\u0302te": {true, false},
		"стоп": {true, false}, "停止。": {true, false}, "やめて": {true, false},
		"stop the release": {}, "how do I stop the server": {}, "don't stop": {}, "": {}, "...": {},
		"thanks": {false, true}, "Thank you!! :)": {false, true}, "ok": {false, true}, "Vielen Dank.": {false, true}, "谢谢！": {false, true},
		"thanks, and for guests?": {}, "ok and now": {}, "thank the team": {},
	} {
		if got := [2]bool{IsStop(text), IsThanks(text)}; got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

func TestMatch(t *testing.T) {
	now := time.Date(2027, 4, 1, 0, 0, 0, 0, time.UTC)
	for _, row := range []struct {
		name string
		c    Canned
		text string
		want bool
	}{
		{"a word", Canned{Any: []string{"vpn"}}, "Is the VPN down?", true},
		{"inside of a word", Canned{Any: []string{"art"}}, "When does the party start?", false},
		{"a phrase", Canned{Any: []string{"reset  Password"}}, "how to reset, password gone", true},
		{"a phrase in another order", Canned{Any: []string{"reset password"}}, "password reset", false},
		{"another form of letters", Canned{Any: []string{"café"}}, "where is the cafe\u0301", true},
		{"wide letters", Canned{Any: []string{"vpn"}}, "ＶＰＮ が遅い", true},
		{"one of two", Canned{Any: []string{"wifi", "wlan"}}, "WLAN?", true},
		{"none of two", Canned{Any: []string{"wifi", "wlan"}}, "network?", false},
		{"all", Canned{All: []string{"vpn", "slow"}}, "the VPN is so slow", true},
		{"all but one", Canned{All: []string{"vpn", "slow"}}, "the VPN is down", false},
		{"all and one of", Canned{All: []string{"vpn"}, Any: []string{"slow", "down"}}, "vpn down", true},
		{"all and none of", Canned{All: []string{"vpn"}, Any: []string{"slow", "down"}}, "vpn setup", false},
		{"no words", Canned{}, "anything", false},
		{"empty words", Canned{Any: []string{"", " ?"}}, "anything?", false},
		{"an empty one among all", Canned{All: []string{"vpn", ""}}, "vpn", false},
		{"Chinese inside", Canned{Any: []string{"密码"}}, "怎么重置密码呢", true},
		{"Japanese inside", Canned{Any: []string{"パスワード"}}, "新しいパスワードは？", true},
		{"Chinese, all", Canned{All: []string{"密码", "vpn"}}, "VPN密码是什么", false}, // a Latin word has to stand by itself
		{"Thai inside", Canned{Any: []string{"รหัสผ่าน"}}, "ลืมรหัสผ่านทำอย่างไร", true},
		{"Korean with an ending", Canned{Any: []string{"비밀번호"}}, "비밀번호를 잊었어요", true},
		{"Korean inside of a word", Canned{Any: []string{"번호"}}, "비밀번호를 잊었어요", false},
		{"expired", Canned{Any: []string{"vpn"}, Expires: now}, "vpn", false},
		{"a moment before", Canned{Any: []string{"vpn"}, Expires: now.Add(time.Nanosecond)}, "vpn", true},
	} {
		t.Run(row.name, func(t *testing.T) {
			if _, got := Match([]Canned{row.c}, row.text, now); got != row.want {
				t.Errorf("Match = %v", got)
			}
		})
	}
	first, _ := Match([]Canned{{Name: "old", Any: []string{"vpn"}, Expires: now}, {Name: "a", Any: []string{"vpn"}}, {Name: "b", Any: []string{"vpn"}}}, "vpn", now)
	if first.Name != "a" {
		t.Errorf("first = %q", first.Name)
	}
}

func TestWhoMayHearACannedAnswer(t *testing.T) {
	team := []core.Principal{core.Public, core.WorkspaceOf("T1")}
	for _, row := range []struct {
		name  string
		place core.Place
		holds []core.Principal
		want  bool
	}{
		{"home channel", core.Place{Kind: core.PlacePublic, Team: "T1", Home: true}, nil, true},
		{"channel of another workspace's members", core.Place{Kind: core.PlacePrivate, Team: "T1"}, nil, true},
		{"with guests", core.Place{Kind: core.PlaceGuests, Team: "T1", Home: true}, nil, false},
		{"with outsiders", core.Place{Kind: core.PlaceConnect, Team: "T1", Home: true, External: true}, nil, false},
		{"not known", core.Place{Kind: core.PlaceUnknown, Team: "T1", Home: true}, nil, false},
		{"Discord channel", core.Place{Kind: core.PlaceEveryone, Team: "G1", Home: true}, nil, false},
		{"a member alone", core.Place{Kind: core.PlaceDirect}, team, true},
		{"a guest alone", core.Place{Kind: core.PlaceDirect}, []core.Principal{core.Public}, false},
		{"members in a group", core.Place{Kind: core.PlaceGroup, Members: [][]core.Principal{team, team}}, nil, true},
		{"a guest in a group", core.Place{Kind: core.PlaceGroup, Members: [][]core.Principal{team, {core.Public}}}, nil, false},
	} {
		t.Run(row.name, func(t *testing.T) {
			a := AudienceOf(row.place, core.Viewer{Principals: row.holds})
			if got := (Canned{}).mayHear(a); got != row.want {
				t.Errorf("mayHear = %v for %v", got, a.Principals)
			}
			if !(Canned{Listed: true}).mayHear(a) {
				t.Error("the owner named the place")
			}
		})
	}
	if (Settings{}).Answers() != ModeMention || (Settings{Mode: ModeOff}).Answers() != ModeOff {
		t.Error("mentions are answered by default")
	}
}
