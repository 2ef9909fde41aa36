package plugins

import (
	"slices"
	"strconv"
	"strings"

	"github.com/footnote-bot/footnote/core"
)

// parseLock reads a lock file. It takes nothing that it does not know: a line
// that was misread could let a program start that nobody chose.
func parseLock(file string, text []byte) ([]Locked, error) {
	p := lockParser{file: file}
	if len(text) > MaxLock {
		return nil, core.Errorf(core.KindConfig, "%s is larger than %d KiB: it is not a lock of connectors", file, MaxLock>>10)
	}
	for line := range strings.Lines(string(text)) {
		p.line++
		words := strings.Fields(line)
		if len(words) == 0 || strings.HasPrefix(words[0], "#") {
			continue
		}
		if err := p.read(words, line); err != nil {
			return nil, err
		}
	}
	if !p.begun {
		return nil, p.wrong("it does not begin with \"lock 1\"")
	}
	return p.blocks, p.complete()
}

type lockParser struct {
	file   string
	line   int
	begun  bool
	blocks []Locked
}

func (p *lockParser) wrong(why string) error {
	return core.Errorf(core.KindConfig,
		"%s, line %d: %s. The file is written by footnote plugin install: take it from version control again, or remove it and install the connectors anew", p.file, p.line, why)
}

func (p *lockParser) read(words []string, line string) error {
	switch {
	case !p.begun:
		if !slices.Equal(words, []string{"lock", "1"}) {
			return p.wrong("it begins with " + strconv.Quote(cut(oneLine(line), 60)) + ", not with \"lock 1\"; a newer Footnote may have written it")
		}
		p.begun = true
		return nil
	case words[0] == "plugin":
		return p.start(words)
	case len(p.blocks) == 0:
		return p.wrong(strconv.Quote(cut(words[0], 60)) + " stands before the first plugin")
	}
	return p.entry(&p.blocks[len(p.blocks)-1], words, line)
}

func (p *lockParser) start(words []string) error {
	if len(words) != 2 || CheckName(words[1]) != nil {
		return p.wrong("after plugin stands one name")
	}
	for _, b := range p.blocks {
		if b.Name == words[1] {
			return p.wrong("there are two blocks of " + b.Name)
		}
	}
	if err := p.complete(); err != nil {
		return err
	}
	p.blocks = append(p.blocks, Locked{Name: words[1], Programs: map[string]string{}, Downloads: map[string]Download{}})
	return nil
}

// complete tells what the last block lacks.
func (p *lockParser) complete() error {
	if len(p.blocks) == 0 {
		return nil
	}
	if l := p.blocks[len(p.blocks)-1]; l.Version == "" || l.Source == "" {
		return p.wrong("the block of " + l.Name + " has no version or no source")
	}
	return nil
}

func (p *lockParser) entry(l *Locked, words []string, line string) error {
	rest := words[1:]
	switch key := words[0]; {
	case key == "version" && len(rest) == 1 && goodVersion.MatchString(rest[0]):
		l.Version = rest[0]
	case key == "source" && len(rest) == 1:
		l.Source = rest[0]
	case key == "protocol" && len(rest) == 1:
		n, err := strconv.Atoi(rest[0])
		if err != nil {
			return p.wrong("the protocol is not a number")
		}
		l.Protocol = n
	case key == "features":
		l.Features = rest
	case key == "module" && len(rest) == 3:
		l.Module = Module{Path: rest[0], Version: rest[1], Sum: rest[2]}
	case key == "follows":
		path, err := strconv.Unquote(strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(line), key)))
		if err != nil {
			return p.wrong("the path is not quoted")
		}
		l.Follows = path
	case key == "program" && len(rest) == 2:
		return p.program(l, rest[0], rest[1])
	case key == "download" && len(rest) == 3:
		return p.download(l, rest)
	default:
		return p.wrong(strconv.Quote(cut(oneLine(line), 60)) + " is not understood; a newer Footnote may have written it, or a merge left it")
	}
	return nil
}

func (p *lockParser) program(l *Locked, platform, sum string) error {
	hex, ok := strings.CutPrefix(sum, "sha256:")
	if _, twice := l.Programs[platform]; twice {
		return p.wrong("there are two programs for " + platform)
	}
	if !ok || !goodSum.MatchString(hex) || !goodPlatform.MatchString(platform) {
		return p.wrong("a program line is: program OS/ARCH sha256:SUM, with 64 small hexadecimal digits")
	}
	l.Programs[platform] = hex
	return nil
}

func (p *lockParser) download(l *Locked, words []string) error {
	hex, ok := strings.CutPrefix(words[1], "sha256:")
	if _, twice := l.Downloads[words[0]]; twice {
		return p.wrong("there are two downloads for " + words[0])
	}
	if !ok || !goodSum.MatchString(hex) || !goodPlatform.MatchString(words[0]) {
		return p.wrong("a download line is: download OS/ARCH sha256:SUM ADDRESS, with 64 small hexadecimal digits")
	}
	if _, err := downloadURL(words[2]); err != nil {
		return p.wrong(err.Error())
	}
	l.Downloads[words[0]] = Download{SHA256: hex, URL: words[2]}
	return nil
}
