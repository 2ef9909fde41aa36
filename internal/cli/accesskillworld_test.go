package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/internal/cli/control"
)

// The documents stand on shelves; one word finds all of a shelf.
const shelves = 10

// perShelf is enough for a change to take several transactions; where soakEnv asks for
// long tests there are more.
var perShelf = func() int {
	if os.Getenv(soakEnv) != "" {
		return 1000
	}
	return 400
}()

const (
	ann = "ann@example.com"
	bob = "bob@example.com"
)

func shelvedID(n int) string { return fmt.Sprintf("s%d/%04d", n/perShelf, n) }

func shelvedText(n int) string { return fmt.Sprintf("shelf%d kw%d tea%d", n/perShelf, n, n*7919%10007) }

// shut is a data folder whose documents Ann and Bob may read until Bob is shut out.
type shut struct {
	*user
	t      *testing.T
	random *rand.Rand
	source string
	ending string          // of the ids of its documents
	begin  func() *process // the program that is killed

	tokenOf map[string]string
	serves  bool // the program stays when the change is made

	left         int // documents that were open to Bob when the ledger was last looked at
	acknowledged int // shelves of which the program said that they are closed
	asked        int // queries that were answered while the change was under way
	answered     chan struct{}
	once         sync.Once // closes answered
	killed       int
	often        int // 2 kills twice as often, where soakEnv asks for long tests
}

func newShut(t *testing.T, seed uint64) *shut {
	if testing.Short() {
		t.Skip("syncs thousands of documents and kills ten processes")
	}
	often := 1
	if os.Getenv(soakEnv) != "" {
		often = 2
	}
	return &shut{user: newUser(t), t: t, random: rand.New(rand.NewPCG(seed, 0)), left: shelves * perShelf, answered: make(chan struct{}), often: often}
}

// open sees to it that both find everything before the change.
func (s *shut) open(source string, begin func() *process) {
	s.t.Helper()
	s.source, s.begin, s.serves = source, begin, s.ending == ""
	s.tokenOf = map[string]string{ann: s.token(ann), bob: s.token(bob)}
	for _, email := range []string{ann, bob} {
		if n := len(s.find(email, 3)); n != perShelf {
			s.t.Fatalf("%s finds %d documents of a shelf before the change", email, n)
		}
	}
}

// moment is how few documents are open to Bob when the program is killed for the nth
// time: all over the change, also before its first transaction and after its last.
func (s *shut) moment(n, of int) int {
	switch n {
	case 0:
		return s.left
	case of - 1:
		return 0
	}
	return max(0, s.left-s.random.IntN(2*s.left/(of-n)+1))
}

// kill starts the program, looks at what Bob finds first, lets it make the change and
// kills it once so few documents are open to Bob, with people asking meanwhile.
func (s *shut) kill(left int, change func(context.Context, *process) error, before func()) {
	s.t.Helper()
	p := s.start()
	if before != nil {
		before()
	}
	ctx, cancel := context.WithCancel(s.t.Context())
	defer cancel()
	var beside sync.WaitGroup
	askers := rand.New(rand.NewPCG(s.random.Uint64(), 1))
	beside.Go(func() { s.keepAsking(ctx, p, askers) })
	if change != nil {
		beside.Go(func() { _ = change(ctx, p) }) // it is cut off
	}
	moment := 30
	if left >= s.left {
		moment = 250 // it has to begin first
	}
	seen := s.await(left)
	time.Sleep(time.Duration(s.random.IntN(moment)) * time.Millisecond) // wherever that is
	s.waitForAnswer()
	p.kill()
	cancel()
	beside.Wait()
	s.killed++
	s.left = min(s.left, seen)
}

// waitForAnswer keeps a server alive until it answered somebody at all: so it is known
// that people can ask while it makes the change.
func (s *shut) waitForAnswer() {
	s.t.Helper()
	if !s.serves {
		return
	}
	select {
	case <-s.answered:
	case <-time.After(3 * time.Minute):
		s.t.Fatal("nobody was answered while the change was made")
	}
}

// start starts the program. Bob's first query comes next, or just before where the
// program does nothing but the change.
func (s *shut) start() *process {
	s.t.Helper()
	if s.serves {
		p := s.begin()
		s.next()
		return p
	}
	s.next()
	return s.begin()
}

// await waits until about so few documents are open to Bob, and returns how many are.
// They are closed in their order, so that looking at one tells.
func (s *shut) await(left int) int {
	s.t.Helper()
	db := s.ledger()
	defer db.Close()
	id := s.source + "/" + shelvedID(max(0, shelves*perShelf-left-1)) + s.ending
	for deadline := time.Now().Add(3 * time.Minute); left < s.left; time.Sleep(5 * time.Millisecond) {
		open := 0
		if err := db.QueryRow(`SELECT count(*) FROM documents d, access a ON a.document = d.n WHERE d.id = ? AND `+openToBob, id).Scan(&open); err != nil {
			s.t.Fatal(err)
		}
		if open == 0 {
			break
		}
		if time.Now().After(deadline) {
			s.t.Fatalf("%s is still open to Bob", id)
		}
	}
	return s.countIn(db)
}

// next is Bob's first query after a start: it finds what the ledger leaves open to
// him, and what was closed or acknowledged stays so.
func (s *shut) next() {
	s.t.Helper()
	shelf := min((shelves*perShelf-s.left)/perShelf, shelves-1) // about where the change was
	found := s.find(bob, shelf)
	open := s.openOn(shelf)
	if !slices.Equal(found, open) {
		s.t.Fatalf("Bob finds %d documents of shelf %d, of which %d are open to him", len(found), shelf, len(open))
	}
	n := s.count()
	if n > s.left {
		s.t.Fatalf("%d documents are open to Bob after a crash, %d were before", n, s.left)
	}
	s.left = n
	for shelf := range s.acknowledged {
		if open := s.openOn(shelf); len(open) > 0 {
			s.t.Fatalf("%d documents are open to Bob that an acknowledged push closed", len(open))
		}
	}
	s.t.Logf("after %d kills: %d documents open, %d on shelf %d; %d queries so far", s.killed, n, len(open), shelf, s.asked)
}

// find is what a search of the command line finds on a shelf: in the program if one
// holds the folder, else it opens it.
func (s *shut) find(email string, shelf int) []string {
	s.t.Helper()
	return s.idsIn(s.must("search", fmt.Sprintf("shelf%d", shelf), "--as", email, "--limit", fmt.Sprint(perShelf), "--json"))
}

func (s *shut) idsIn(lines string) []string {
	var ids []string
	for d := json.NewDecoder(strings.NewReader(lines)); ; {
		var one shownPassage
		if err := d.Decode(&one); err != nil {
			slices.Sort(ids)
			return ids
		}
		ids = append(ids, one.DocumentID)
	}
}

// inHolder runs a command in the program that holds the folder, and in no other.
func (s *shut) inHolder(ctx context.Context, out io.Writer, args ...string) (int, error) {
	return control.Call(ctx, filepath.Join(s.dir, "data"), control.Request{Args: args, Dir: s.dir},
		control.Streams{In: strings.NewReader(""), Out: out, Err: io.Discard})
}

// complete makes the change in peace; the program says that it is made.
func (s *shut) complete(change func(context.Context, *process) error) {
	s.t.Helper()
	p := s.start()
	if err := change(s.t.Context(), p); err != nil {
		s.t.Fatal(err)
	}
	s.left = 0
	s.next()
	p.kill()
}

// finish looks at everything when the change is made: what Bob and Ann find, and that
// the index says of each document what the ledger says.
func (s *shut) finish() {
	s.t.Helper()
	a, err := openApp(s.t.Context(), mustConfig(s.t, s.user), "", discard())
	if err != nil {
		s.t.Fatal(err)
	}
	defer a.close()
	for shelf := range shelves {
		for email, want := range map[string]int{ann: perShelf, bob: 0} {
			o := s.in(a, "search", fmt.Sprintf("shelf%d", shelf), "--as", email, "--limit", fmt.Sprint(perShelf), "--json")
			if n := len(s.idsIn(o.out)); n != want || o.code != 0 {
				s.t.Errorf("%s finds %d documents of shelf %d: %+v", email, n, shelf, o.err)
			}
			hits, err := a.index.Keyword(s.t.Context(), core.KeywordQuery{
				Text: fmt.Sprintf("shelf%d", shelf), Limit: 2 * perShelf, Filter: core.Filter{Principals: []core.Principal{core.User(email)}},
			})
			if err != nil || len(hits) != want {
				s.t.Errorf("the index has %d documents of shelf %d for %s: %v", len(hits), shelf, email, err)
			}
		}
	}
	counts, err := a.store.Counts(s.t.Context())
	if err != nil {
		s.t.Fatal(err)
	}
	documents, passages, err := a.index.Count(s.t.Context())
	if err != nil || documents != shelves*perShelf || passages != counts.Passages || counts.NotIndexed != 0 {
		s.t.Errorf("the index has %d documents and %d passages, the ledger %+v: %v", documents, passages, counts, err)
	}
	s.t.Logf("%d kills, %d queries meanwhile", s.killed, s.asked)
}
