package plugintest

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"net/http/httptest"
	"slices"
	"strconv"
)

const mostTruncated = 6

// truncated runs something once for each of the first requests, whose answer
// breaks off, and judges it; cut tells how many answers there were to break.
func (s *suite) truncated(ctx context.Context, run func(context.Context, faulty) string) verdict {
	if s.scripted == nil {
		return skipped("%s", noScript)
	}
	tried := 0
	for k := 1; k <= min(s.asked, mostTruncated); k++ {
		cut := false
		f, err := s.face(ctx, func(x exchange) {
			if x.n != k {
				x.pass()
				return
			}
			cut = x.halve()
		})
		if err != nil {
			return failed("%v", err)
		}
		why := run(ctx, f)
		f.close() // waits for the handlers
		if !cut {
			continue
		}
		if tried++; why != "" {
			return failed("answer %d broke off and all seemed well, but: %s", k, why)
		}
	}
	if tried == 0 {
		return skipped("there is no JSON in the answers that could break off")
	}
	return passed("%d answers, one at a time", tried)
}

func faultTruncated(ctx context.Context, s *suite) verdict {
	return s.truncated(ctx, func(ctx context.Context, f faulty) string {
		o := f.outcome(ctx, newRecord())
		if o.err != nil || len(o.got.failures) > 0 {
			return ""
		}
		return difference(s.scripted.docs, o.got.docs)
	})
}

func faultList(ctx context.Context, s *suite) verdict {
	if s.scripted == nil {
		return skipped("%s", noScript)
	}
	f, err := s.face(ctx, exchange.pass)
	if err != nil {
		return failed("%v", err)
	}
	whole, err := f.listed(ctx)
	f.close()
	if err != nil || whole.problem != "" {
		return failed("when all is well: %v%s", err, whole.problem)
	}
	return s.truncated(ctx, func(ctx context.Context, f faulty) string {
		l, err := f.listed(ctx)
		if err != nil || l.complete == nil {
			return ""
		}
		if missing := slices.DeleteFunc(slices.Collect(maps.Keys(whole.ids)), func(id string) bool { return l.ids[id] }); len(missing) > 0 {
			return "missing: " + some(missing) + ", which the host would delete"
		}
		return ""
	})
}

// halve sends the first half of a JSON answer. It leaves other answers alone: a
// text that ends early looks like any other.
func (x exchange) halve() bool {
	kept := httptest.NewRecorder()
	x.next.ServeHTTP(kept, x.r)
	body := kept.Body.Bytes()
	half := body[:len(body)/2]
	cut := json.Valid(body) && !json.Valid(half)
	if !cut {
		half = body
	}
	for key, values := range kept.Header() {
		x.w.Header()[key] = values
	}
	x.w.Header().Set("Content-Length", strconv.Itoa(len(half)))
	x.w.WriteHeader(kept.Code)
	_, _ = bytes.NewReader(half).WriteTo(x.w) // a client that left is no matter of the script
	return cut
}
