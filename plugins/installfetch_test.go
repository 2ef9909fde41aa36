package plugins_test

import (
	"archive/tar"
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/plugins"
)

func TestInstallFromAnAddress(t *testing.T) {
	body := program("jira", "1.2.0", "a")
	readme := member{name: "README.md", body: []byte("read me"), mode: 0o644}
	for _, row := range []struct {
		name, path string
		data       []byte
	}{
		{"tar.gz", "/footnote-jira_1.2.0_linux_amd64.tar.gz", tarGz(t, readme, member{name: "footnote-jira", body: body, mode: 0o755})},
		{"in a folder", "/jira.tgz", tarGz(t, member{name: "jira-1.2.0/", kind: tar.TypeDir, mode: 0o755}, member{name: "jira-1.2.0/jira", body: body, mode: 0o755}, readme)},
		{"several programs", "/footnote-jira_1.tar.gz", tarGz(t, member{name: "tool", body: []byte("#!"), mode: 0o755}, member{name: "jira", body: body, mode: 0o755})},
		{"zip", "/jira_1.zip", zipped(t, readme, member{name: "jira", body: body, mode: 0o755})},
		{"zip without modes", "/footnote-jira_1.zip", zipped(t, readme, member{name: "jira", body: body, mode: 0o644})},
		{"bare program", "/jira", body},
	} {
		t.Run(row.name, func(t *testing.T) {
			m, s := newMachine(t), newServer(t)
			address := s.put(row.path, row.data)
			l := m.must(plugins.Wanted{Ref: address, SHA256: strings.ToUpper(sum(row.data))})
			if l.Name != "jira" || l.Version != "1.2.0" || l.Source != address || l.Programs[here] != sum(body) ||
				l.Downloads[here] != (plugins.Download{URL: address, SHA256: sum(row.data)}) {
				t.Errorf("locked = %+v", l)
			}
			if err := m.run("jira"); err != nil {
				t.Error(err)
			}
			asked := s.asked[row.path]
			m.must(plugins.Wanted{Ref: address, SHA256: sum(row.data)})
			if s.asked[row.path] != asked {
				t.Error("it was fetched a second time")
			}
		})
	}
}

func TestNothingRunsBeforeTheSumIsRight(t *testing.T) {
	m, s := newMachine(t), newServer(t)
	marker := filepath.Join(m.Installer.Dir, "started")
	evil := []byte("#!/bin/sh\n: > '" + marker + "'\n")
	address := s.put("/jira", evil)
	m.fails(plugins.Wanted{Ref: address, SHA256: sum(program("jira", "1.2.0", "a"))}, core.KindConfig, sum(evil), "released again", "nothing of it was run")
	if _, err := os.Stat(marker); err == nil {
		t.Error("it was started")
	}
}

func TestHostileArchives(t *testing.T) {
	good := member{name: "jira", body: program("jira", "1.2.0", "a"), mode: 0o755}
	many := []member{good}
	for n := range 10_001 {
		many = append(many, member{name: fmt.Sprint("f", n), mode: 0o644})
	}
	cutOff := tarGz(t, good)
	for _, row := range []struct {
		name string
		data []byte
		word string
	}{
		{"upwards", tarGz(t, good, member{name: "../../evil", body: []byte("x"), mode: 0o755}), "leads out"},
		{"absolute", tarGz(t, good, member{name: "/etc/evil", body: []byte("x"), mode: 0o755}), "leads out"},
		{"backslash", tarGz(t, good, member{name: `..\evil`, body: []byte("x"), mode: 0o755}), "leads out"},
		{"symbolic link", tarGz(t, good, member{name: "l", kind: tar.TypeSymlink, link: "/etc/passwd"}), "is a link"},
		{"the program is a link", tarGz(t, member{name: "jira", kind: tar.TypeSymlink, link: "/bin/sh", mode: 0o755}), "is a link"},
		{"hard link", tarGz(t, good, member{name: "l", kind: tar.TypeLink, link: "jira", mode: 0o755}), "is a link"},
		{"device", tarGz(t, good, member{name: "d", kind: tar.TypeBlock}), "neither a file"},
		{"twice", tarGz(t, good, good), "twice"},
		{"too many", tarGz(t, many...), "more than 10000 files"},
		{"cut off", cutOff[:len(cutOff)/2], "unexpected EOF"},
		{"nothing in it", tarGz(t), "not clear which file"},
		{"two programs", tarGz(t, member{name: "a", body: []byte("x"), mode: 0o755}, member{name: "b", body: []byte("x"), mode: 0o755}), "a, b"},
		{"zip upwards", zipped(t, good, member{name: "../evil", body: []byte("x"), mode: 0o755}), "leads out"},
		{"zip link", zipped(t, good, member{name: "l", body: []byte("/etc/passwd"), kind: tar.TypeSymlink}), "is a link"},
		{"no archive", []byte("x"), "less than 4 bytes"},
	} {
		t.Run(row.name, func(t *testing.T) {
			m, s := newMachine(t), newServer(t)
			m.fails(plugins.Wanted{Ref: s.put("/jira.tar.gz", row.data), SHA256: sum(row.data)}, core.KindInvalid, row.word)
		})
	}
}

// A few KiB of zeros unpack to more than a program can be.
func TestArchiveBombs(t *testing.T) {
	if testing.Short() {
		t.Skip("packs half a GiB")
	}
	m, s := newMachine(t), newServer(t)
	bomb := bombOf(t, 600<<20)
	m.fails(plugins.Wanted{Ref: s.put("/jira.tar.gz", bomb), SHA256: sum(bomb)}, core.KindInvalid, "unpacks to more than 512.0 MiB")
}

func bombOf(t *testing.T, size int64) []byte {
	t.Helper()
	var b bytes.Buffer
	z, w := newTarGz(&b)
	if err := w.WriteHeader(&tar.Header{Name: "jira", Mode: 0o755, Size: size, Typeflag: tar.TypeReg}); err != nil {
		t.Fatal(err)
	}
	if _, err := io.CopyN(w, zeros{}, size); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestRedirects(t *testing.T) {
	m, s := newMachine(t), newServer(t)
	body := program("jira", "1.2.0", "a")
	s.put("/end", body)
	for n := range 7 {
		to := fmt.Sprintf("/r%d", n+1)
		if n == 4 {
			to = "/end"
		}
		s.put(fmt.Sprintf("/r%d", n), []byte("redirect "+to))
	}
	s.put("/loop", []byte("redirect /loop"))
	s.put("/away", []byte("redirect http://example.org/jira"))
	m.must(plugins.Wanted{Ref: s.URL + "/r0", SHA256: sum(body)})
	m.fails(plugins.Wanted{Ref: s.URL + "/loop", SHA256: sum(program("x", "1", ""))}, core.KindUnavailable, "redirects")
	m.fails(plugins.Wanted{Ref: s.URL + "/away", SHA256: sum(program("x", "1", ""))}, core.KindUnavailable, "https only")
	m.fails(plugins.Wanted{Ref: s.URL + "/nothing", SHA256: sum(program("x", "1", ""))}, core.KindNotFound, "404", "/nothing")
	s.Close()
	m.fails(plugins.Wanted{Ref: s.URL + "/gone", SHA256: sum(program("x", "1", ""))}, core.KindUnavailable, "/gone")
}
