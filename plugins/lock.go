package plugins

import (
	"bytes"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/footnote-bot/footnote/core"
)

// Locked is what the lock says of one installed connector: where it comes from
// and how its program is known again.
type Locked struct {
	Name     string
	Version  string
	Source   string // local, go:PACKAGE@VERSION, an address, or the name of a manifest file
	Protocol int    // of the wire
	Features []string
	Module   Module // set where the Go toolchain made the program
	// Programs is the SHA-256 of the program by platform, such as linux/amd64.
	Programs map[string]string
	// Downloads is what can be fetched by platform; empty where nothing can.
	Downloads map[string]Download
	// Follows is the path of a program that is started as it lies there, whatever
	// it has become; empty for one that is locked.
	Follows string
}

// Module is what the Go toolchain wrote into a program: the module that it was
// made of and the sum that the module checksum database holds.
type Module struct{ Path, Version, Sum string }

// Download is one file of a release.
type Download struct {
	URL    string
	SHA256 string // of the file, which may be an archive
}

// SourceLocal is the Source of a connector that was copied from a file.
const SourceLocal = "local"

// MaxLock is the most that a lock file may have, in bytes.
const MaxLock = 1 << 20

const lockHead = `# Installed connectors, and the sums that their programs must have whenever they
# are started. Written by footnote plugin install. Commit this file.
lock 1
`

var (
	goodName     = regexp.MustCompile(`^[a-z][a-z0-9]*(-[a-z0-9]+)*$`)
	goodVersion  = regexp.MustCompile(`^[0-9A-Za-z][0-9A-Za-z.+_-]{0,99}$`)
	goodPlatform = regexp.MustCompile(`^[a-z0-9]+/[a-z0-9]+$`)
	goodSum      = regexp.MustCompile(`^[0-9a-f]{64}$`)
)

// CheckName tells why a connector cannot be called that, nil if it can.
func CheckName(name string) error {
	if len(name) > 64 || !goodName.MatchString(name) {
		return core.Errorf(core.KindInvalid,
			"%q cannot be the name of a connector: it has to be at most 64 small letters, digits and single dashes, and begin with a letter", cut(oneLine(name), 100))
	}
	return nil
}

func checkVersion(name, version string) error {
	if !goodVersion.MatchString(version) {
		return core.Errorf(core.KindInvalid,
			"connector %q has the version %q, which cannot be the name of a folder: it has to be letters, digits and . + _ - only", name, cut(oneLine(version), 100))
	}
	return nil
}

// formatLock writes the blocks in the order of their names. Equal blocks always
// give equal text, so that a commit shows what changed and nothing else.
func formatLock(blocks []Locked) []byte {
	var b bytes.Buffer
	b.WriteString(lockHead)
	blocks = slices.Clone(blocks)
	sort.Slice(blocks, func(i, j int) bool { return blocks[i].Name < blocks[j].Name })
	for _, l := range blocks {
		fmt.Fprintf(&b, "\nplugin %s\n", l.Name)
		for _, line := range l.lines() {
			b.WriteString("  " + line + "\n")
		}
	}
	return b.Bytes()
}

func (l Locked) lines() []string {
	out := []string{"version " + l.Version, "source " + l.Source, "protocol " + strconv.Itoa(l.Protocol)}
	if len(l.Features) > 0 {
		out = append(out, "features "+strings.Join(l.Features, " "))
	}
	if l.Module.Path != "" {
		out = append(out, "module "+l.Module.Path+" "+l.Module.Version+" "+l.Module.Sum)
	}
	if l.Follows != "" {
		out = append(out, "follows "+strconv.Quote(l.Follows))
	}
	for _, platform := range slices.Sorted(maps.Keys(l.Downloads)) {
		d := l.Downloads[platform]
		out = append(out, "download "+platform+" sha256:"+d.SHA256+" "+d.URL)
	}
	for _, platform := range slices.Sorted(maps.Keys(l.Programs)) {
		out = append(out, "program "+platform+" sha256:"+l.Programs[platform])
	}
	return out
}
