// Package typesense is the search index on a Typesense cluster, for teams that
// outgrow one machine. It does what the embedded index does and may be lost just
// as well: the ledger fills it again.
//
// Typesense keeps the postings, the vectors and the facts and answers filters.
// What a word is, how much it counts and how passages are ranked is decided here,
// as in the embedded index: passages are sent as the terms that they hold, and
// the best candidates come back with their windows of counted terms. Names of
// principals, sources, folders, tags and documents are sent as keys of letters
// and digits, so that nothing in them can be read as part of a filter.
package typesense

import (
	"cmp"
	"context"
	"log/slog"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/typesense/typesense-go/v2/typesense"
	"github.com/typesense/typesense-go/v2/typesense/api"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/store/index"
)

// Options are the settings of an index.
type Options struct {
	URLs    []string // of the cluster's nodes, each http or https
	APIKey  string
	Install string        // names the ledger that the index belongs to
	Name    string        // of the collection's alias; made from Install if empty
	Timeout time.Duration // for a node to begin its answer; 0 means 10 s
	Log     *slog.Logger  // nil discards
}

// defaultTimeout is also what footnote.yaml says.
const defaultTimeout = 10 * time.Second

// Index implements core.VectorIndex on a Typesense cluster. Use New, then Prepare:
// until that went well every other call is an error of kind unavailable.
type Index struct {
	name    string // of the alias
	where   string // for messages
	timeout time.Duration
	log     *slog.Logger
	nodes   *nodes
	client  *typesense.Client
	api     api.ClientInterface
	query   *index.Query

	write sync.Mutex // held by whoever changes what is indexed

	// turn is held for reading by a search and for writing while documents change
	// from one version to the next: a search sees each wholly before or after.
	turn sync.RWMutex

	mu        sync.RWMutex // guards what follows
	at        *place       // nil until prepared
	languages map[string]bool
	closed    bool

	running sync.WaitGroup // calls that Close waits for
}

// place is which collections are in use.
type place struct {
	read, write string      // the same unless a new one is being filled
	vectors     vectorState // of what is written
	searched    vectorState // of what is read
	alone       bool        // the others are gone
}

var _ core.VectorIndex = (*Index)(nil)

// New makes an index without asking the cluster anything. Errors are of kind
// config.
func New(o Options) (*Index, error) {
	x := &Index{
		name: cmp.Or(o.Name, "footnote_"+strings.ToLower(o.Install)), timeout: cmp.Or(o.Timeout, defaultTimeout),
		log: o.Log, query: index.NewQuery(), languages: map[string]bool{},
	}
	if x.log == nil {
		x.log = slog.New(slog.DiscardHandler)
	}
	var urls []*url.URL
	var hosts []string
	for _, one := range o.URLs {
		u, err := url.Parse(one)
		if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || u.User != nil {
			return nil, core.Errorf(core.KindConfig, "index.url: an address of Typesense must be like https://search.example.com:8108, without a user or key in it")
		}
		urls, hosts = append(urls, u), append(hosts, u.Host)
	}
	if len(urls) == 0 {
		return nil, core.Errorf(core.KindConfig, "index.url: the address of Typesense is missing, such as https://search.example.com:8108")
	}
	x.where, x.nodes = strings.Join(hosts, ", "), newNodes(urls, x.timeout)
	made, err := api.NewClientWithResponses(urls[0].Scheme+"://"+urls[0].Host, api.WithAPIKey(o.APIKey), api.WithHTTPClient(x.nodes))
	if err != nil {
		return nil, core.Errorf(core.KindConfig, "index.url: %w", err)
	}
	x.client, x.api = typesense.NewClient(typesense.WithAPIClient(made)), made
	return x, nil
}

// begin registers a running call. The caller calls end.
func (x *Index) begin(ctx context.Context) (end func(), err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	x.mu.RLock()
	defer x.mu.RUnlock()
	if x.closed {
		return nil, core.Errorf(core.KindUnavailable, "The search index is closed.")
	}
	x.running.Add(1)
	return x.running.Done, nil
}

// now tells which collections are in use. It holds as long as the caller holds turn
// or write.
func (x *Index) now() (place, error) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	if x.at == nil {
		return place{}, core.Errorf(core.KindUnavailable,
			"Typesense at %s is not ready for %s: it could not be reached, or is being set up. See footnote doctor.", x.where, x.name)
	}
	return *x.at, nil
}

// limited bounds one request: every node may be asked once.
func (x *Index) limited(ctx context.Context, times int) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, time.Duration(times*len(x.nodes.urls))*x.timeout)
}

// forgetReady makes the next Prepare look again.
func (x *Index) forgetReady() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.at = nil
}

// Ready tells whether Prepare went well and nothing was lost since.
func (x *Index) Ready() bool {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return x.at != nil
}

// Where names the cluster for people.
func (x *Index) Where() string { return x.where }

// Close waits for running calls. A closed index answers every call with an error.
func (x *Index) Close() error {
	x.mu.Lock()
	x.closed = true
	x.mu.Unlock()
	x.running.Wait()
	x.nodes.close()
	return nil
}

// KeepsFacts says that facts are stored with the text: nobody has to tell them again.
func (x *Index) KeepsFacts() bool { return true }
