package prompts

import (
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/footnote-bot/footnote/core"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// The texts as a model reads them, whole.
func TestGolden(t *testing.T) {
	day := time.Date(2026, 3, 2, 23, 59, 0, 0, time.UTC)
	for name, got := range map[string]string{
		"system_with_search.md":   System(day, "", []string{SearchGuide(), OpenGuide()}),
		"system_without_tools.md": System(day, "de", nil),
		"search_tool.md":          SearchTool() + "\n\nqueries: " + SearchQueries(),
		"last_reminder.md":        Reminder([]string{LastCycle(), CiteNow()}),
		"instructions.md":         Instructions("Call people by their first name.\n{{.Date}} & <b> stay as they are."),
		"memory.md": strings.Join([]string{
			SummarySystem(), SummaryInput("", `{"question":"a"}`), SummaryInput("Before.", `{"question":"b"}`), Summary("It was Monday."),
		}, "\n----\n"),
		"question.md": strings.Join([]string{
			Thread(`{"author":"Ann"}`, 0), Thread(`{"author":"Ann"}`, 2), Files(`{"file":"a"}`),
			ImageMark("a.png", true), ImageMark("a.png", false), DescribeImages(), OpenPages(), LinkFiles([]string{"/f/1", "/f/2"}),
			ImagesLeftOut(1), ImagesLeftOut(2), OpenTool(), OpenWhich(), ClockTool(), AnswerIn("Bavarian"),
		}, "\n----\n"),
		"plan.md": strings.Join([]string{
			PlanSystem(day), PlanInput("", "", "", `"How long?"`),
			PlanInput(`{"question":"a","answer":"b"}`, `["wiki"]`, `["leave"]`, `"And in the wiki?"`),
			SelectSystem(), SelectInput(`"How long?"`, `{"number":1}`),
			Scope(Covered{}), Scope(Covered{Queries: []string{"leave", "days off"}}),
			Scope(Covered{Sources: []string{"wiki", "jira"}, From: "2026-01-01", To: "2026-02-28", Authors: []string{"Ann"}}),
			Scope(Covered{From: "2026-01-01", Created: true}), Scope(Covered{To: "2026-01-01", Nothing: true}),
		}, "\n----\n"),
		"context.md": strings.Join([]string{
			ContextSystem(), ContextDocument(`{"title":"a"}`, false), ContextDocument(`{"title":"a"}`, true), ContextPassage(`{"text":"b"}`),
		}, "\n----\n"),
		"results.txt": strings.Join([]string{
			UnknownTool("web_search", []string{"internal_search", "open_url"}),
			UnknownTool("web_search", nil),
			BadArguments("internal_search", `the field "queries" is missing`, `{"queries": ["x"]}`),
			ToolFailed("internal_search", "The index is being rebuilt."),
			ToolTimeout("internal_search", 30),
			RepeatedCall("internal_search"),
			NothingFound(), Shortened(3), NoRoom(),
			MergedCall("a"), TooMany(7), Clipped(1000), NoDocument(), NothingThere(40), GoesOn(12),
			NotAsked("ticket_create"), Declined("ticket_create"), ResultGone(),
		}, "\n"),
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join("testdata", name)
			if *update {
				if err := os.WriteFile(file, []byte(got+"\n"), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got+"\n"); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestReminderIsEmptyWithoutParts(t *testing.T) {
	if got := Reminder(nil); got != "" {
		t.Errorf("got %q", got)
	}
}

// The guides ask for what the citation writer needs to work well.
func TestSystemAsksForMarkers(t *testing.T) {
	text := System(time.Now(), "", nil)
	for _, part := range []string{"blank before the bracket", "[3]", "`items[0]`", "<" + Tag + ">", "</" + Tag + ">"} {
		if !strings.Contains(text, part) {
			t.Errorf("the system prompt lacks %q", part)
		}
	}
}

func TestLanguageOf(t *testing.T) {
	rows := []struct {
		question string
		want     Language
	}{
		{"How many days of leave do I have?", English},
		{"What was in the die-cut order?", English},
		{"Wie viele Urlaubstage habe ich?", German},
		{"Wo ist der Drucker", German},
		{"Was ist das WLAN-Passwort?", German},
		{"What is WLAN?", English},
		{"Is the MIT license allowed?", English},
		{"Drucker für Gäste?", German},
		{"Wie is de baas?", English},
		{"我有多少天年假？", Chinese},
		{"VPN 怎么用", Chinese},
		{"年休は何日ありますか", English},
		{"휴가는 며칠입니까 休暇", English},
		{"¿Cuántos días de vacaciones tengo?", English},
		{"Combien de jours de congé ai-je ?", English},
		{"", English},
	}
	for _, row := range rows {
		if got := LanguageOf(row.question); got != row.want {
			t.Errorf("%q: got %s, want %s", row.question, got, row.want)
		}
	}
}

// No sentence is missing in any language.
func TestSentencesAreComplete(t *testing.T) {
	kinds := []core.Kind{core.KindUnavailable, core.KindTimeout, core.KindBusy, core.KindAuth,
		core.KindConfig, core.KindTooLarge, core.KindInvalid, core.KindInternal}
	seen := map[string]Language{}
	note := func(l Language, text string) {
		if text == "" {
			t.Errorf("%s: a sentence is empty", l)
		}
		if other, taken := seen[text]; taken && other != l {
			t.Errorf("%q is the same in %s and %s", text, l, other)
		}
		seen[text] = l
	}
	for _, l := range []Language{English, German, Chinese} {
		s := reflect.ValueOf(In(l))
		for i := range s.NumField() {
			if f := s.Field(i); f.Kind() == reflect.String {
				note(l, f.String())
			}
		}
		for _, kind := range kinds {
			note(l, In(l).Fallback(kind))
		}
	}
}
