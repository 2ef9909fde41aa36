package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/footnote-bot/footnote/core/eval"
	"github.com/footnote-bot/footnote/core/model/modeltest"
)

// withEmbeddings is a user with a library that was read before there was an
// embedding model, and such a model.
func withEmbeddings(t *testing.T) (*user, *modeltest.Server) {
	t.Helper()
	u := withLibrary(t)
	server := modeltest.Start(modeltest.Script{})
	t.Cleanup(server.Close)
	u.env["FOOTNOTE_EMBEDDINGS_BASE_URL"] = server.URL
	u.env["FOOTNOTE_EMBEDDINGS_NAME"] = "small"
	return u, server
}

// asked is how many texts the model was asked for.
func asked(server *modeltest.Server) (n int) {
	for _, batch := range server.Batches() {
		n += batch
	}
	return n
}

// embeddingsCheck is what doctor says of them.
func embeddingsCheck(u *user) (found check) {
	u.t.Helper()
	for line := range strings.Lines(u.run("doctor", "--json").out) {
		var k check
		if err := json.Unmarshal([]byte(line), &k); err == nil && k.Name == "embeddings" {
			found = k
		}
	}
	return found
}

func TestEmbeddingsFromSyncToSearch(t *testing.T) {
	t.Parallel()
	u, server := withEmbeddings(t)
	if k := embeddingsCheck(u); k.Outcome != warned || !strings.Contains(k.Detail, "wait for a vector") {
		t.Errorf("before: %+v", k)
	}
	before := asked(server)
	u.must("sync")
	paid := asked(server) - before
	if paid < 2 {
		t.Fatalf("%d texts embedded", paid)
	}
	if k := embeddingsCheck(u); k.Outcome != passed {
		t.Errorf("after: %+v", k)
	}
	before = asked(server)
	if out := u.must("search", "Where do visitors park?"); !strings.Contains(out, "level minus two") || asked(server) != before+1 {
		t.Errorf("%d texts embedded for a search:\n%s", asked(server)-before, out)
	}
	// The same documents again, and the index made anew, cost nothing.
	before = asked(server)
	u.must("sync", "--full")
	if err := os.RemoveAll(filepath.Join(u.dir, "data", "index")); err != nil {
		t.Fatal(err)
	}
	u.must("sync")
	if got := asked(server); got != before {
		t.Errorf("paid for %d texts again", got-before)
	}
	if k := embeddingsCheck(u); k.Outcome != passed {
		t.Errorf("after the index was lost: %+v", k)
	}
}

func TestSearchWithoutItsEmbeddings(t *testing.T) {
	t.Parallel()
	u, server := withEmbeddings(t)
	u.must("sync")
	server.Close()
	u.write(map[string]string{"docs/new.md": "# Bicycles\n\nBicycles stand in the yard behind the kitchen.\n"})
	o := u.run("sync")
	if o.code != 0 || !strings.Contains(o.err, "wait for their vectors") {
		t.Fatalf("sync: %+v", o)
	}
	if out := u.must("search", "Where do bicycles stand?"); !strings.Contains(out, "behind the kitchen") {
		t.Errorf("search:\n%s", out)
	}
	if out := u.must("source", "show", "docs"); !strings.Contains(out, "1 of ") || !strings.Contains(out, "wait for a vector since ") {
		t.Errorf("source show:\n%s", out)
	}
	if k := embeddingsCheck(u); k.Outcome != failed || !strings.Contains(k.Detail, "1 of ") || !strings.Contains(k.Detail, "No model answers") {
		t.Errorf("doctor: %+v", k)
	}
}

func TestEvalWithVectors(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	u.write(smallSet())
	server := modeltest.Start(modeltest.Script{})
	t.Cleanup(server.Close)
	if o := u.run("eval", "set", "--record", "set.vectors"); o.code != exitConfig || !strings.Contains(o.err, "embeddings.base_url") {
		t.Errorf("without a model: %+v", o)
	}
	u.env["FOOTNOTE_EMBEDDINGS_BASE_URL"], u.env["FOOTNOTE_EMBEDDINGS_NAME"] = server.URL, "small"
	u.must("eval", "set", "--record", "set.vectors")
	delete(u.env, "FOOTNOTE_EMBEDDINGS_BASE_URL")
	delete(u.env, "FOOTNOTE_EMBEDDINGS_NAME")
	before := asked(server)
	var r eval.Report
	if err := json.Unmarshal([]byte(u.must("eval", "set", "--json", "--vectors", "set.vectors", "--keyword-share", "0.6")), &r); err != nil {
		t.Fatal(err)
	}
	if r.Shares == nil || r.Shares.Used != 0.6 || r.Shares.Proposed != 0.6 || len(r.Shares.Tried) < 5 || r.NDCG10 != 1 || r.Leaks != 0 || asked(server) != before {
		t.Errorf("report = %+v, shares = %+v, %d texts embedded", r, r.Shares, asked(server)-before)
	}
	if text := u.must("eval", "set", "--vectors", "set.vectors"); !strings.Contains(text, "words count 0.75") {
		t.Errorf("text:\n%s", text)
	}
	for _, bad := range [][]string{{"--keyword-share", "2"}, {"--vectors", "a", "--record", "b"}} {
		if o := u.run(append([]string{"eval", "set"}, bad...)...); o.code != exitUsage {
			t.Errorf("%v: %+v", bad, o)
		}
	}
}
