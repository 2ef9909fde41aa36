package find_test

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/footnote-bot/footnote/core/find"
)

func TestQuote(t *testing.T) {
	filler := "The office lies by the harbour. It has three floors. "
	for _, row := range []struct {
		name, question, passage, want string
	}{
		{"short text stays whole", "How many vacation days?", "You have 27 vacation days.", "You have 27 vacation days."},
		{"the sentence that answers, and the next", "When is the espresso machine descaled?",
			filler + "Dr. Meier descales the espresso machine on the 3. of each month. Ask him first. Tea is free.",
			"Dr. Meier descales the espresso machine on the 3. of each month. Ask him first."},
		{"no heading at the end", "How much is a hotel night?", "The ceiling is 165 euro a night for a hotel.\n\n## Time on the way\n\n" + filler,
			"The ceiling is 165 euro a night for a hotel."},
		{"numbers with points", "What is the limit for meals?", filler + "The limit for meals is 62.50 euro a day. Receipts are needed. Wine is not paid.",
			"The limit for meals is 62.50 euro a day. Receipts are needed."},
		{"Chinese", "春节关闭几天？", "办公室在港口旁边。春节期间关闭九天。请提前安排工作。其他节日照常。", "春节期间关闭九天。请提前安排工作。"},
		{"Thai has no full stops", "ลาพักร้อน", "พนักงานลาพักร้อนได้สิบวัน", "พนักงานลาพักร้อนได้สิบวัน"},
		{"table rows stay whole", "What does P3-4130 cost?",
			"Prices:\n\n| part | price |\n|---|---|\n| P3-4100 | 10.00 |\n| P3-4130 | 1975.00 |\n| P3-4140 | 12.00 |\n\nAll in euro.",
			"| P3-4130 | 1975.00 |"},
		{"code lines stay whole", "restart the gateway",
			"Log in first.\n\n```\nssh ops@host\n  sudo systemctl restart gateway\nexit\n```\n\nThen wait.",
			"  sudo systemctl restart gateway"},
		{"list items stay apart", "Who approves travel?", "- Rooms are booked by the desk.\n- Travel is approved by your lead.\n- Cars need a licence.",
			"- Travel is approved by your lead.\n- Cars need a licence."},
		{"nothing in common", "zebra", "First sentence. Second sentence. Third.", "First sentence. Second sentence."},
		{"empty", "zebra", "  \n ", ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			if got := find.Quote(row.question, row.passage); got != row.want {
				t.Errorf("Quote = %q, want %q", got, row.want)
			}
		})
	}
}

// FuzzQuote wants quotes that are bounded and made of the passage's own words.
func FuzzQuote(f *testing.F) {
	f.Add("walrus", "A walrus. Another one!\n| a | b |\n```\ncode")
	f.Add("海", "海川。办公室\n\n- x\n1. y")
	f.Add("", strings.Repeat("word ", 500))
	f.Add("\xff", "\xff\xfe. X\x00")
	f.Fuzz(func(t *testing.T, question, passage string) {
		q := find.Quote(question, passage)
		if n := utf8.RuneCountInString(q); n > 1000 {
			t.Errorf("the quote has %d characters", n)
		}
		if !utf8.ValidString(passage) {
			return
		}
		all := strings.Join(strings.Fields(passage), "")
		for _, w := range strings.Fields(strings.TrimSuffix(q, " …")) {
			if !strings.Contains(all, w) {
				t.Errorf("%q of the quote is not in the passage", w)
			}
		}
	})
}

func TestParts(t *testing.T) {
	for _, row := range []struct {
		question string
		want     []string
	}{
		{"Who approves travel?", []string{"Who approves travel?"}},
		{"I am going to Madrid next month. Who approves travel?", []string{
			"I am going to Madrid next month. Who approves travel?", "Who approves travel?", "I am going to Madrid next month."}},
		{"Hi! Who?", []string{"Hi! Who?"}},
		{"我下个月去马德里。谁批准出差？", []string{"我下个月去马德里。谁批准出差？", "谁批准出差？", "我下个月去马德里。"}},
		{"", []string{""}},
	} {
		if got := find.Parts(row.question); !slices.Equal(got, row.want) {
			t.Errorf("Parts(%q) = %q, want %q", row.question, got, row.want)
		}
	}
}
