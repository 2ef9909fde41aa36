package files

import (
	"path"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// ignoreRule is one line of a .gitignore file.
type ignoreRule struct {
	domain  string // folder of the file it stands in, "" for the root
	glob    string // relative to domain
	keep    bool   // a line that starts with !
	dirOnly bool
}

// parseIgnore reads lines in the syntax of .gitignore. Bad are the lines that
// are no valid pattern and so match nothing.
func parseIgnore(text, domain string) (rules []ignoreRule, bad []string) {
	for line := range strings.Lines(strings.TrimPrefix(text, "\uFEFF")) {
		line = strings.TrimRight(line, "\r\n")
		if rule, ok := parseIgnoreLine(line, domain); ok {
			if !validGlob(rule.glob) {
				bad = append(bad, line)
				continue
			}
			rules = append(rules, rule)
		}
	}
	return rules, bad
}

func parseIgnoreLine(line, domain string) (ignoreRule, bool) {
	if !strings.HasSuffix(line, `\ `) {
		line = strings.TrimRight(line, " \t")
	}
	if line == "" || line[0] == '#' {
		return ignoreRule{}, false
	}
	r := ignoreRule{domain: domain}
	line, r.keep = strings.CutPrefix(line, "!")
	line, r.dirOnly = strings.CutSuffix(line, "/")
	if line == "" {
		return ignoreRule{}, false
	}
	r.glob = strings.TrimPrefix(line, "/")
	if !strings.Contains(line, "/") {
		r.glob = "**/" + line
	}
	if strings.HasSuffix(r.glob, "/**") {
		r.glob += "/*" // what is inside, not the folder itself
	}
	// Braces mean nothing to git.
	r.glob = strings.NewReplacer("{", `\{`, "}", `\}`).Replace(r.glob)
	return r, true
}

// ignored tells whether the rules leave a path out: the last one that matches
// decides. Rules of a folder come after those of the folders around it.
func ignored(rules []ignoreRule, name string, isDir bool) bool {
	for i := len(rules) - 1; i >= 0; i-- {
		if rules[i].matches(name, isDir) {
			return !rules[i].keep
		}
	}
	return false
}

func (r ignoreRule) matches(name string, isDir bool) bool {
	if r.dirOnly && !isDir {
		return false
	}
	if r.domain != "" {
		rest, inside := strings.CutPrefix(name, r.domain+"/")
		if !inside {
			return false
		}
		name = rest
	}
	return doublestar.MatchUnvalidated(r.glob, name)
}

func validGlob(glob string) bool { return glob != "" && doublestar.ValidatePattern(glob) }

// included tells whether a file is asked for; no globs ask for everything.
func included(globs []string, name string) bool {
	for _, glob := range globs {
		against := name
		if !strings.Contains(glob, "/") {
			against = path.Base(name)
		}
		if doublestar.MatchUnvalidated(strings.TrimPrefix(glob, "/"), against) {
			return true
		}
	}
	return len(globs) == 0
}
