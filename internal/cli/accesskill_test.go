package cli

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// An access change counts from the moment when its transaction is in the ledger, and
// at the latest when the sync or push that brought it ends well. These tests shut Bob
// out of thousands of documents and kill the program again and again while that is
// under way: no query finds him what the ledger closed before the query began, the
// first one after each start finds exactly the rest, and Ann loses nothing.

// Documents are sent again with other readers, to a server that is killed.
func TestShutOutByPushes(t *testing.T) {
	t.Parallel()
	s := newShut(t, 1)
	s.must("source", "add", "push", "--name", "wiki")
	s.write(map[string]string{"all.ndjson": pushedShelves(0, shelves, true)})
	s.must("push", "wiki", "all.ndjson", "--batch")
	secret := strings.TrimSpace(s.must("token", "create", "--source", "wiki"))
	s.open("wiki", func() *process { return serveProcess(t, s.dir) })
	change := func(ctx context.Context, p *process) error {
		for shelf := range shelves {
			b := bundle{"application/x-ndjson", []byte(pushedShelves(shelf, shelf+1, false))}
			if _, err := pushOver(ctx, http.DefaultClient, p.url+"/documents", secret, b); err != nil {
				return err
			}
			s.acknowledged = max(s.acknowledged, shelf+1)
		}
		return nil
	}
	for n := range 4 * s.often {
		s.kill(s.moment(n, 4*s.often), change, nil)
	}
	s.complete(change)
	s.finish()
}

func pushedShelves(from, to int, bob bool) string {
	var lines strings.Builder
	for n := from * perShelf; n < to*perShelf; n++ {
		access := `"user:ann@example.com"`
		if bob {
			access += `, "user:bob@example.com"`
		}
		fmt.Fprintf(&lines, `{"id": %q, "text": %q, "access": [%s]}`+"\n", shelvedID(n), shelvedText(n), access)
	}
	return lines.String()
}

// A rule of the files connector is changed, and the sync that brings that is killed.
func TestShutOutByFilesRule(t *testing.T) {
	t.Parallel()
	s := newShut(t, 2)
	s.ending = ".md"
	files := map[string]string{}
	for n := range shelves * perShelf {
		files["docs/"+shelvedID(n)+s.ending] = shelvedText(n)
	}
	const rule = `sources:
  - {name: docs, connector: files, config: {dir: docs, access: {"**": [%s]}}}
`
	files["footnote.yaml"] = fmt.Sprintf(rule, `"user:ann@example.com", "user:bob@example.com"`)
	s.write(files)
	s.must("sync")
	s.open("docs", func() *process { return &process{t: t, cmd: s.user.start("sync")} })
	s.write(map[string]string{"footnote.yaml": fmt.Sprintf(rule, `"user:ann@example.com"`)})
	for n := range 4 * s.often {
		s.kill(s.moment(n, 4*s.often), nil, nil)
	}
	s.next()
	s.must("sync")
	s.finish()
}

// The source itself tells who may read what: Bob leaves the group of all readers, the
// documents leave the group one by one, the folder that they lie in leaves it.
func TestShutOutByGrants(t *testing.T) {
	t.Parallel()
	s := newShut(t, 3)
	world := s.addShelves()
	s.must("sync", "desk")
	s.open("desk", func() *process { return serveProcess(t, s.dir) })
	change := func(ctx context.Context, _ *process) error {
		var out bytes.Buffer
		code, err := s.inHolder(ctx, &out, "sync", "desk", "--access")
		if err == nil && code != 0 {
			err = fmt.Errorf("exit code %d: %s", code, out.String())
		}
		return err
	}
	atOnce := func(open, closed shelvesWorld) {
		for n := range 2 * s.often {
			left := shelves * perShelf * (1 - n%2)
			world.tell(t, open)
			s.kill(left, change, func() {
				s.must("sync", "desk", "--access")
				s.left = s.count()
				world.tell(t, closed)
			})
		}
		s.complete(change)
	}
	atOnce(shelvesWorld{Member: true, Reads: true}, shelvesWorld{Reads: true})
	world.tell(t, shelvesWorld{Member: true, Reads: true})
	s.must("sync", "desk", "--access")
	s.left = s.count()
	world.tell(t, shelvesWorld{Member: true})
	for n := range 3 * s.often {
		s.kill(s.moment(n, 3*s.often), change, nil)
	}
	s.complete(change)
	atOnce(shelvesWorld{Member: true, Reads: true, Folder: true}, shelvesWorld{Member: true, Folder: true})
	s.finish()
}
