package cli

import (
	"database/sql"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	_ "modernc.org/sqlite"

	"github.com/footnote-bot/footnote/core"
)

func setUserVersion(t *testing.T, path string, version int) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec(fmt.Sprintf("PRAGMA user_version = %d; PRAGMA wal_checkpoint(TRUNCATE)", version)); err != nil {
		t.Fatal(err)
	}
}

// manyFiles is how many files the kill tests sync: enough that a sync takes
// seconds.
const manyFiles = 2000

// bigFolder writes n files, each with a word that no other has.
func (u *user) bigFolder(n int) {
	files := map[string]string{}
	for i := range n {
		files[fmt.Sprintf("docs/%02d/f%04d.md", i%50, i)] = bigFile(i, 0)
	}
	u.write(files)
}

func bigFile(i, edition int) string {
	return fmt.Sprintf("# File %d\n\nThe keyword of this file is kw%dx%d. %s\n", i, i, edition,
		strings.Repeat("Plain filler words make it a little longer. ", 20))
}

// start runs the program in a process group of its own.
func (u *user) start(args ...string) *exec.Cmd {
	u.t.Helper()
	exe, err := os.Executable()
	if err != nil {
		u.t.Fatal(err)
	}
	cmd := exec.Command(exe, args...)
	cmd.Dir = u.dir
	cmd.Env = append(os.Environ(), asProgram+"=1")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		u.t.Fatal(err)
	}
	return cmd
}

func TestKilledSyncsLoseNothing(t *testing.T) {
	if testing.Short() {
		t.Skip("syncs 2,000 files and kills six processes")
	}
	t.Parallel()
	u, random := newUser(t), rand.New(rand.NewPCG(1, 2))
	u.bigFolder(manyFiles)
	u.must("source", "add", "files", "docs", "--name", "docs")
	rounds := 3
	if os.Getenv(soakEnv) != "" {
		rounds = 6
	}
	for round := range rounds {
		u.change(random, round)
		u.killProgram(t, random)
		u.change(random, round)
		u.killConnector(t, random)
	}
	u.must("sync")
	u.agrees(t)
}

// change edits every third file, adds one and deletes one between two kills, so
// that each sync has work for seconds.
func (u *user) change(random *rand.Rand, round int) {
	u.t.Helper()
	for i := round % 3; i < manyFiles; i += 3 {
		u.write(map[string]string{fmt.Sprintf("docs/%02d/f%04d.md", i%50, i): bigFile(i, random.IntN(1e6))})
	}
	u.write(map[string]string{fmt.Sprintf("docs/extra/e%d.md", round): bigFile(manyFiles+round, 0)})
	i := random.IntN(manyFiles)
	os.Remove(filepath.Join(u.dir, fmt.Sprintf("docs/%02d/f%04d.md", i%50, i)))
}

// killProgram kills the syncing program at a random moment.
func (u *user) killProgram(t *testing.T, random *rand.Rand) {
	cmd := u.start("sync")
	u.atWork(cmd, random)
	cmd.Process.Signal(syscall.SIGKILL)
	cmd.Wait()
	t.Logf("program killed; %s", u.progressSoFar())
}

// killConnector kills the connector of a syncing program; the program itself
// has to end with an error, not to hang.
func (u *user) killConnector(t *testing.T, random *rand.Rand) {
	t.Helper()
	cmd := u.start("sync")
	u.atWork(cmd, random)
	killed := 0
	for _, pid := range childrenOf(cmd.Process.Pid) {
		syscall.Kill(pid, syscall.SIGKILL)
		killed++
	}
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	select {
	case err := <-done:
		t.Logf("%d connectors killed, program ended: %v; %s", killed, err, u.progressSoFar())
	case <-time.After(patience):
		syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		t.Fatal("the program hangs after the death of its connector")
	}
}

// atWork waits until the program has started its connector, or is over already, and a
// while that nobody chose.
func (u *user) atWork(cmd *exec.Cmd, random *rand.Rand) {
	u.t.Helper()
	eventually(u.t, "the program starts its connector", func() bool {
		state, _ := processState(cmd.Process.Pid)
		return state == "Z" || len(childrenOf(cmd.Process.Pid)) > 0
	})
	time.Sleep(time.Duration(random.IntN(800)) * time.Millisecond)
}

func childrenOf(parent int) (pids []int) {
	entries, _ := os.ReadDir("/proc")
	for _, e := range entries {
		if pid, err := strconv.Atoi(e.Name()); err == nil {
			if _, its := processState(pid); its == parent {
				pids = append(pids, pid)
			}
		}
	}
	return pids
}

// processState is the state of a process, such as Z for one that ended, and its parent;
// "" if there is none.
func processState(pid int) (state string, parent int) {
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return "", 0
	}
	_, rest, _ := strings.Cut(string(raw), ") ")
	fields := strings.Fields(rest)
	if len(fields) < 2 {
		return "", 0
	}
	parent, _ = strconv.Atoi(fields[1]) // the kernel writes a number
	return fields[0], parent
}

func (u *user) progressSoFar() string {
	db, err := sql.Open("sqlite", filepath.Join(u.dir, "data", "footnote.db"))
	if err != nil {
		return err.Error()
	}
	defer db.Close()
	var documents, waiting int
	if err := db.QueryRow("SELECT count(*), sum(indexed < generation) FROM documents").Scan(&documents, &waiting); err != nil {
		return err.Error()
	}
	return fmt.Sprintf("%d documents in the ledger, %d of them not in the index", documents, waiting)
}

// agrees checks ledger and index against the folder, file by file.
func (u *user) agrees(t *testing.T) {
	t.Helper()
	a, err := openApp(t.Context(), mustConfig(t, u), "", discard())
	if err != nil {
		t.Fatal(err)
	}
	defer a.close()
	var files, inLedger []string
	keyword := map[string]string{}
	root := filepath.Join(u.dir, "docs")
	filepath.WalkDir(root, func(path string, e os.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			rel, _ := filepath.Rel(root, path)
			files = append(files, filepath.ToSlash(rel))
			raw, _ := os.ReadFile(path)
			_, rest, _ := strings.Cut(string(raw), "file is ")
			keyword[filepath.ToSlash(rel)], _, _ = strings.Cut(rest, ".")
		}
		return nil
	})
	err = a.store.Facts(t.Context(), func(facts []core.Facts) error {
		for _, f := range facts {
			inLedger = append(inLedger, strings.TrimPrefix(f.Document, "docs/"))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(files)
	slices.Sort(inLedger)
	if !slices.Equal(files, inLedger) {
		t.Fatalf("%d files, %d documents in the ledger", len(files), len(inLedger))
	}
	documents, passages, err := a.index.Count(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	counts, err := a.store.Counts(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if documents != len(files) || passages != counts.Passages || counts.NotIndexed != 0 {
		t.Errorf("index: %d documents, %d passages; ledger: %+v; files: %d", documents, passages, counts, len(files))
	}
	for _, name := range files {
		hits, err := a.index.Keyword(t.Context(), core.KeywordQuery{
			Text: keyword[name], Limit: 2, Filter: core.Filter{Principals: []core.Principal{core.Workspace}},
		})
		if err != nil {
			t.Fatal(err)
		}
		if len(hits) == 0 || hits[0].Document != "docs/"+name {
			t.Fatalf("%s is not found by its keyword %s: %v", name, keyword[name], hits)
		}
	}
}
