package cli

import (
	"strings"
	"testing"
)

func TestHelp(t *testing.T) {
	t.Parallel()
	for args, row := range map[string]struct {
		code      int
		out, says string
	}{
		"help":                {exitOK, "footnote demo", ""},
		"help source add":     {exitOK, "source add files FOLDER", ""},
		"help help":           {exitOK, "footnote COMMAND --help", ""},
		"help xyz":            {exitUsage, "", `unknown command "footnote xyz"; see footnote --help`},
		"help sourc":          {exitUsage, "", "did you mean footnote source?"},
		"help plugin nwe":     {exitUsage, "", "did you mean footnote plugin new?"},
		"help ask everything": {exitUsage, "", `unknown command "footnote ask everything"`},
	} {
		o := newUser(t).run(strings.Fields(args)...)
		if o.code != row.code || !strings.Contains(o.out, row.out) || !strings.Contains(o.err, row.says) {
			t.Errorf("%s: %+v", args, o)
		}
	}
}
