package discord

import (
	"maps"
	popcount "math/bits"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/bwmarrin/discordgo"
)

// docTable reads the rows of the page's table whose first head is the one given.
func docTable(t *testing.T, page, head string) [][]string {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("..", "..", "docs", page))
	if err != nil {
		t.Fatal(err)
	}
	var rows [][]string
	inside := false
	for line := range strings.Lines(string(raw)) {
		line = strings.TrimSpace(line)
		cells := strings.Split(strings.Trim(line, "|"), "|")
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		switch {
		case !strings.HasPrefix(line, "|"):
			inside = false
		case cells[0] == head:
			inside = true
		case inside && !strings.HasPrefix(line, "|--"):
			rows = append(rows, cells)
		}
	}
	if len(rows) == 0 {
		t.Fatalf("docs/%s has no table with the head %q", page, head)
	}
	return rows
}

func matched(text, pattern string) []string {
	var out []string
	for _, m := range regexp.MustCompile(pattern).FindAllStringSubmatch(text, -1) {
		out = append(out, m[1])
	}
	return out
}

const inBackticks = "`([^`]+)`"

// firstColumn are the names in the first cells of a table of the page.
func firstColumn(t *testing.T, head, pattern string) []string {
	t.Helper()
	var out []string
	for _, row := range docTable(t, "discord.md", head) {
		out = append(out, matched(row[0], pattern)...)
	}
	return out
}

// same compares names in the page with those in the code, both ways.
func same(t *testing.T, what string, page, code []string) {
	t.Helper()
	page, code = slices.Clone(page), slices.Clone(code)
	slices.Sort(page)
	slices.Sort(code)
	if page, code = slices.Compact(page), slices.Compact(code); !slices.Equal(page, code) {
		t.Errorf("%s: the page has\n  %q\nthe code\n  %q", what, page, code)
	}
}

// permissionNames are Discord's names of the permissions that the page may list.
var permissionNames = map[string]int64{
	"View Channel": discordgo.PermissionViewChannel, "Send Messages": discordgo.PermissionSendMessages,
	"Send Messages in Threads": discordgo.PermissionSendMessagesInThreads, "Create Public Threads": discordgo.PermissionCreatePublicThreads,
	"Embed Links": discordgo.PermissionEmbedLinks, "Attach Files": discordgo.PermissionAttachFiles,
	"Read Message History": discordgo.PermissionReadMessageHistory, "Add Reactions": discordgo.PermissionAddReactions,
}

func TestPageNamesPermissions(t *testing.T) {
	var all int64
	rows := docTable(t, "discord.md", "permission")
	for _, row := range rows {
		bit, ok := permissionNames[row[0]]
		if !ok {
			t.Errorf("the page names the permission %q", row[0])
		}
		all |= bit
	}
	if all != InstallPermissions || len(rows) != popcount.OnesCount64(uint64(InstallPermissions)) {
		t.Errorf("the page lists %b, the install link asks for %b", all, InstallPermissions)
	}
}

func TestPageNamesCommands(t *testing.T) {
	same(t, "/footnote", firstColumn(t, "`/footnote …`", inBackticks), slices.Collect(maps.Keys(verbs)))
	for _, row := range docTable(t, "discord.md", "`/footnote …`") {
		name := matched(row[0], inBackticks)[0]
		if v := verbs[name]; v.manager != strings.Contains(row[2], "managers") || v.unbound != strings.Contains(row[2], "everywhere") {
			t.Errorf("%s is said to be for %q; the code says %+v", name, row[2], v)
		}
	}
	var options []string
	for _, c := range definitions() {
		if c.Name == commandAsk {
			for _, o := range c.Options {
				options = append(options, o.Name)
			}
		}
	}
	same(t, "/ask", firstColumn(t, "option", inBackticks), options)
	raw, err := os.ReadFile(filepath.Join("..", "..", "docs", "discord.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range definitions() {
		if !strings.Contains(string(raw), c.Name) {
			t.Errorf("the page does not name %s", c.Name)
		}
	}
}

func TestPageNamesButtonsAndChecks(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	var code string
	for _, f := range files {
		if strings.HasSuffix(f, "_test.go") {
			continue
		}
		raw, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		code += string(raw)
	}
	labels := slices.Concat(matched(code, `\bbutton\(act\w+, [^"]+, "([^"]+)"\)`), matched(code, `\badd\(act\w+, (?:fmt\.Sprintf\()?"([^"]+)"`),
		matched(code, `\bthumb\(act\w+, [^"]+, "([^"]+)"\)`))
	same(t, "buttons", firstColumn(t, "button", `\*\*([^*]+)\*\*`), labels)
	raw, err := os.ReadFile("doctor.go")
	if err != nil {
		t.Fatal(err)
	}
	checks := slices.Concat(matched(string(raw), `Check\{\{?(?:Name: )?"([a-z ]+)"`), matched(string(raw), `one\("([a-z ]+)"`), matched(string(raw), `const name, fix = "([a-z]+)"`))
	for i := range checks {
		checks[i] = strings.TrimSpace(checks[i])
	}
	same(t, "checks", firstColumn(t, "check", inBackticks), checks)
}
