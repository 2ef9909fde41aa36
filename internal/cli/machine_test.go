package cli

import (
	"flag"
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"
)

// patience is how long tests wait for what has to come: a busy machine stands still for
// seconds.
const patience = 3 * time.Minute

// runTests runs the tests on a machine that is made ready for them, and tidies up.
// What they share is set here, since tests that run side by side cannot set it.
func runTests(m *testing.M) int {
	flag.Parse()
	waitSideBySide()
	dir, err := os.MkdirTemp("", "footnote-")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir) //nolint:errcheck // the tests have ended
	for name, value := range map[string]string{
		"TMPDIR":                dir,
		"GOPROXY":               "off", // connectors are built without a network
		"GOFLAGS":               goFlags(os.Getenv("GOFLAGS")),
		"FOOTNOTE_ADMIN_LISTEN": "127.0.0.1:0", // of processes, of which several serve at a time
	} {
		if err := os.Setenv(name, value); err != nil {
			panic(err)
		}
	}
	return m.Run()
}

// goFlags lets Go link without what only a debugger reads, which takes half of the
// time of building a connector, and keeps what was said before.
func goFlags(more ...string) string {
	return strings.TrimSpace(strings.Join(append(more, "-ldflags=-s"), " "))
}

// waitSideBySide runs more tests at a time than there are processors, unless the
// command line says how many: most of a test is waiting, for processes to start and
// for what happens after a while.
func waitSideBySide() {
	said := false
	flag.Visit(func(f *flag.Flag) { said = said || f.Name == "test.parallel" })
	if said {
		return
	}
	if err := flag.Set("test.parallel", strconv.Itoa(4*runtime.GOMAXPROCS(0))); err != nil {
		panic(err)
	}
}
