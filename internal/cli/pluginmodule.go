package cli

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"

	"github.com/footnote-bot/footnote/core"
)

// modulePath is ours, as a connector's go.mod names it.
const modulePath = "github.com/footnote-bot/footnote"

// goVersion is what a connector's go.mod asks for where our own cannot be read.
const goVersion = "1.26.0"

var releasedVersion = regexp.MustCompile(`^v\d+\.\d+\.\d+(-[0-9A-Za-z.]+)?$`)
var pseudoVersion = regexp.MustCompile(`[.-]\d{14}-[0-9a-f]{12}$`)

// sdkModule is how a new connector gets at the SDK.
type sdkModule struct {
	version string // a release of Footnote, "" if this is none
	source  string // the folder of its source, which replaces the module; "" if there is none
}

// moduleOf decides: a release is fetched like any module; what is not a release is
// taken from its source folder. Where there is neither, go mod tidy finds the newest
// release.
func moduleOf(version, source string) sdkModule {
	switch {
	case releasedVersion.MatchString(version) && !pseudoVersion.MatchString(version):
		return sdkModule{version: version}
	case source != "":
		return sdkModule{version: "v0.0.0", source: source}
	}
	return sdkModule{}
}

// sourceFolder finds the checkout that this program was built from, "" if it is not
// on this machine: where the compiler saw this file, or above the program itself.
func sourceFolder(exe string) string {
	if _, file, _, ok := runtime.Caller(0); ok && filepath.IsAbs(file) {
		if dir := filepath.Join(filepath.Dir(file), "..", ".."); isOurs(dir) {
			return dir
		}
	}
	for dir := filepath.Dir(exe); ; dir = filepath.Dir(dir) {
		if isOurs(dir) {
			return dir
		}
		if dir == filepath.Dir(dir) {
			return ""
		}
	}
}

func isOurs(dir string) bool {
	text, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	return err == nil && (bytes.HasPrefix(text, []byte("module "+modulePath+"\n")) || bytes.Contains(text, []byte("\nmodule "+modulePath+"\n")))
}

// write writes go.mod, and beside a source folder also go.sum: with what our own
// module needs, the connector builds at once and without a network. go mod tidy
// leaves of it what the connector uses.
func (m sdkModule) write(dir, module string) error {
	var b bytes.Buffer
	language, needs := goVersion, ""
	var sums []byte
	if m.source != "" {
		own, err := os.ReadFile(filepath.Join(m.source, "go.mod"))
		if err == nil {
			sums, err = os.ReadFile(filepath.Join(m.source, "go.sum"))
		}
		if err != nil {
			return core.Errorf(core.KindDisk, "Footnote's own module cannot be read: %w", err)
		}
		language, needs = languageOf(own), requirements(own)
	}
	fmt.Fprintf(&b, "module %s\n\ngo %s\n", module, language)
	if m.version != "" {
		fmt.Fprintf(&b, "\nrequire %s %s\n", modulePath, m.version)
	}
	if m.source != "" {
		fmt.Fprintf(&b, "\nreplace %s => %s\n%s", modulePath, quotedPath(m.source), needs)
	}
	err := os.MkdirAll(dir, 0o755)
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "go.mod"), b.Bytes(), 0o644)
	}
	if err == nil && sums != nil {
		err = os.WriteFile(filepath.Join(dir, "go.sum"), sums, 0o644)
	}
	if err != nil {
		return core.Errorf(core.KindDisk, "the connector cannot be written: %w", err)
	}
	return nil
}

var languageLine = regexp.MustCompile(`(?m)^go (\S+)$`)

func languageOf(mod []byte) string {
	if m := languageLine.FindSubmatch(mod); m != nil {
		return string(m[1])
	}
	return goVersion
}

var requireBlock = regexp.MustCompile(`(?ms)^require \(\n(.*?)^\)$`)

// requirements is what a go.mod requires, all of it marked as indirect.
func requirements(mod []byte) string {
	var b strings.Builder
	for _, block := range requireBlock.FindAllSubmatch(mod, -1) {
		for line := range strings.Lines(string(block[1])) {
			if words := strings.Fields(line); len(words) >= 2 && !strings.HasPrefix(words[0], "//") {
				fmt.Fprintf(&b, "\t%s %s // indirect\n", words[0], words[1])
			}
		}
	}
	if b.Len() == 0 {
		return ""
	}
	return "\nrequire (\n" + b.String() + ")\n"
}

// quotedPath is a path as go.mod takes it.
func quotedPath(path string) string {
	if strings.ContainsAny(path, " \t\"'`(),;[]{}=>") || strings.Contains(path, "//") {
		return strconv.Quote(path)
	}
	return path
}
