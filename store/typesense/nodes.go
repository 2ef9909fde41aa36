package typesense

import (
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"
)

// rest is how long a node that failed is asked last.
const rest = 30 * time.Second

const (
	slower   = 12 // times the patience, for what goes through a whole collection
	dialTime = 5 * time.Second
)

// nodes sends a request to one of a cluster's nodes, and to the next one where that
// does not answer or cannot serve. The client's own rotation is not used: it is not
// safe for several goroutines and sends a retried request without its body.
type nodes struct {
	quick, slow *http.Client
	urls        []*url.URL
	now         func() time.Time

	mu    sync.Mutex
	next  int
	tired []time.Time // until when a node rests
}

// newNodes gives each node so long to begin its answer.
func newNodes(list []*url.URL, patience time.Duration) *nodes {
	return &nodes{
		quick: clientOf(patience), slow: clientOf(slower * patience),
		urls: list, now: time.Now, tired: make([]time.Time, len(list)),
	}
}

func clientOf(patience time.Duration) *http.Client {
	return &http.Client{Transport: &http.Transport{
		DialContext:           (&net.Dialer{Timeout: min(patience, dialTime)}).DialContext,
		ForceAttemptHTTP2:     true,
		MaxIdleConnsPerHost:   16,
		IdleConnTimeout:       90 * time.Second,
		TLSHandshakeTimeout:   dialTime,
		ResponseHeaderTimeout: patience,
	}}
}

// clientFor gives changes of a schema and deletions more time: they go through all
// that a collection holds.
func (n *nodes) clientFor(req *http.Request) *http.Client {
	if req.Method == http.MethodDelete || req.Method == http.MethodPatch && !strings.Contains(req.URL.Path, "/documents") {
		return n.slow
	}
	return n.quick
}

// order lists all nodes, rested ones first, beginning with another one each time.
func (n *nodes) order() []int {
	n.mu.Lock()
	defer n.mu.Unlock()
	now := n.now()
	var rested, tired []int
	for i := range n.urls {
		at := (n.next + i) % len(n.urls)
		if n.tired[at].After(now) {
			tired = append(tired, at)
		} else {
			rested = append(rested, at)
		}
	}
	n.next = (n.next + 1) % len(n.urls)
	return append(rested, tired...)
}

func (n *nodes) mark(at int, good bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.tired[at] = time.Time{}
	if !good {
		n.tired[at] = n.now().Add(rest)
	}
}

// Do sends the request. All requests of this package may be repeated: writes name
// what is to be there afterwards.
func (n *nodes) Do(req *http.Request) (resp *http.Response, err error) {
	for i, at := range n.order() {
		if i > 0 && req.Context().Err() != nil {
			break
		}
		if resp != nil {
			drop(resp)
		}
		var again *http.Request
		if again, err = n.to(req, at, i > 0); err != nil {
			return nil, err
		}
		resp, err = n.clientFor(again).Do(again)
		good := err == nil && resp.StatusCode < http.StatusInternalServerError
		if req.Context().Err() != nil {
			return resp, err // nobody waits any more, which says nothing about the node
		}
		n.mark(at, good)
		if good {
			return resp, nil
		}
	}
	return resp, err
}

// to addresses the request to a node.
func (n *nodes) to(req *http.Request, at int, repeated bool) (*http.Request, error) {
	out := req.Clone(req.Context())
	out.URL.Scheme, out.URL.Host, out.Host = n.urls[at].Scheme, n.urls[at].Host, n.urls[at].Host
	if !repeated || req.Body == nil || req.Body == http.NoBody {
		return out, nil
	}
	if req.GetBody == nil {
		return nil, errors.New("the request's body cannot be sent a second time")
	}
	body, err := req.GetBody()
	out.Body = body
	return out, err
}

// drop reads what is left of a small response, so that its connection is used again.
func drop(resp *http.Response) {
	io.CopyN(io.Discard, resp.Body, 4<<10) //nolint:errcheck // nobody wants it
	resp.Body.Close()                      //nolint:errcheck // nor that
}

func (n *nodes) close() {
	n.quick.CloseIdleConnections()
	n.slow.CloseIdleConnections()
}
