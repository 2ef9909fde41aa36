package cli

import (
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/footnote-bot/footnote/internal/cli/config"
)

// pageTable returns what stands in backticks in the first column of a page's
// table with the head given, whose place the section tells.
func pageTable(t *testing.T, page, section, head string) []string {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("..", "..", "docs", page))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, ok := strings.Cut(string(raw), "\n## "+section+"\n")
	_, rest, headed := strings.Cut(rest, "\n| "+head+" |")
	if !ok || !headed {
		t.Fatalf("docs/%s has no table %q under %q", page, head, section)
	}
	var out []string
	for line := range strings.Lines(rest[strings.IndexByte(rest, '\n')+1:]) {
		if !strings.HasPrefix(line, "|") {
			break
		}
		for _, m := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(strings.Split(line, "|")[1], -1) {
			out = append(out, m[1])
		}
	}
	slices.Sort(out)
	return out
}

func yamlKeys(v any) []string {
	var out []string
	for _, f := range reflect.VisibleFields(reflect.TypeOf(v)) {
		out = append(out, f.Tag.Get("yaml"))
	}
	slices.Sort(out)
	return out
}

func flagsOf(c *cobra.Command) []string {
	var out []string
	c.Flags().VisitAll(func(f *pflag.Flag) { out = append(out, "--"+f.Name) })
	slices.Sort(out)
	return out
}

// TestPlatformPagesNameWhatThereIs holds flags and settings of the pages for Slack
// and Discord against the code, both ways.
func TestPlatformPagesNameWhatThereIs(t *testing.T) {
	t.Parallel()
	inv := newUser(t).invocation(nil, nil, nil)
	raw, err := os.ReadFile("platformadmin.go")
	if err != nil {
		t.Fatal(err)
	}
	var settings []string
	for _, m := range regexp.MustCompile(`\tcase ("[a-z_", ]+"):`).FindAllStringSubmatch(string(raw), -1) {
		for key := range strings.SplitSeq(m[1], ", ") {
			settings = append(settings, strings.Trim(key, `"`))
		}
	}
	slices.Sort(settings)
	for _, row := range []struct {
		page, section, head string
		code                []string
	}{
		{"slack.md", "Set it up", "flag", flagsOf(inv.initSlackCommand())},
		{"slack.md", "Settings of a workspace", "key", yamlKeys(config.Slack{})},
		{"slack.md", "Commands", "setting", settings},
		{"discord.md", "Set it up", "flag", flagsOf(inv.initDiscordCommand())},
		{"discord.md", "Settings of an application", "key", yamlKeys(config.Discord{})},
		{"discord.md", "Commands", "setting", settings},
	} {
		if page := pageTable(t, row.page, row.section, row.head); !slices.Equal(page, row.code) {
			t.Errorf("docs/%s, %s: the page has\n  %q\nthe code\n  %q", row.page, row.section, page, row.code)
		}
	}
}

// TestPagesNameCommandsThatExist looks up every footnote command of the pages.
func TestPagesNameCommandsThatExist(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	for _, page := range []string{"slack.md", "discord.md", "quickstart.md", "security.md", "scaling.md", "troubleshooting.md"} {
		raw, err := os.ReadFile(filepath.Join("..", "..", "docs", page))
		if err != nil {
			t.Fatal(err)
		}
		text := strings.Join(strings.Fields(string(raw)), " ")
		for _, m := range regexp.MustCompile("`footnote ([^`]+)`").FindAllStringSubmatch(text, -1) {
			if wrong := u.unknownCommand(strings.Fields(m[1])); wrong != "" {
				t.Errorf("docs/%s names footnote %s: %s", page, m[1], wrong)
			}
		}
	}
}

// unknownCommand says what of a command line does not exist: its small words are
// commands, up to the first that is none.
func (u *user) unknownCommand(line []string) string {
	plain := regexp.MustCompile(`^[a-z]+$`)
	n := 0
	for n < len(line) && plain.MatchString(line[n]) {
		n++
	}
	help := u.run(append(slices.Clone(line[:n]), "--help")...)
	if help.code != exitOK || !strings.Contains(help.out, "footnote "+strings.Join(line[:n], " ")) {
		return "no such command " + help.err
	}
	for _, word := range line[n:] {
		if strings.HasPrefix(word, "--") && !strings.Contains(help.out, word) {
			return "no flag " + word
		}
	}
	return ""
}
