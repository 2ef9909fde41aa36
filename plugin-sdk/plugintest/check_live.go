package plugintest

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/footnote-bot/footnote/plugin-sdk/wire"
)

const (
	searchTimeout = 3 * time.Second
	censorTimeout = 2 * time.Second
	// stranger is nobody's address.
	stranger = "nobody@plugintest.invalid"
)

// search asks as a viewer; an empty one is not known.
func (s *suite) search(ctx context.Context, viewer string, limit int32) ([]*wire.Hit, error) {
	return s.ask(ctx, &wire.SearchRequest{Limit: limit, Viewer: &wire.Viewer{Email: viewer}})
}

func (s *suite) ask(ctx context.Context, req *wire.SearchRequest) ([]*wire.Hit, error) {
	if s.late == wire.FeatureSearch {
		return nil, status.Error(codes.DeadlineExceeded, "it was late before")
	}
	c, err := s.common(ctx)
	if err != nil {
		return nil, err
	}
	req.Text = s.wordOf()
	var reply *wire.SearchReply
	s.took, err = punctual(ctx, searchTimeout, func(ctx context.Context) (err error) {
		reply, err = c.client.Search(ctx, req)
		return err
	})
	if late(err) {
		s.late = wire.FeatureSearch
		return nil, err
	}
	if err != nil {
		return nil, errors.New(c.why(errors.New(told(err))))
	}
	return reply.GetHits(), nil
}

// viewer is somebody who may read something.
func (s *suite) viewer() string {
	if s.subject.Viewer != "" {
		return s.subject.Viewer
	}
	for _, id := range slices.Sorted(maps.Keys(s.first.docs)) {
		if users := s.first.docs[id].access.GetUsers(); len(users) > 0 {
			return users[0]
		}
	}
	return "somebody@plugintest.invalid"
}

func late(err error) bool { return status.Code(err) == codes.DeadlineExceeded }

// punctual makes a call that has to be over in time, once more where it was late: the
// machine may have had more to do. It tells how long the last one took.
func punctual(ctx context.Context, limit time.Duration, call func(context.Context) error) (took time.Duration, err error) {
	for range 2 {
		began := time.Now()
		within, cancel := context.WithTimeout(ctx, limit)
		err = call(within)
		cancel()
		if took = time.Since(began); !late(err) || ctx.Err() != nil {
			break
		}
	}
	return took, err
}

func searchLimit(ctx context.Context, s *suite) verdict {
	found := 0
	for _, limit := range []int32{1, 3} {
		hits, err := s.search(ctx, s.viewer(), limit)
		switch {
		case late(err):
			return skipped("the search does not answer in time")
		case err != nil:
			return failed("%v", err)
		case len(hits) > int(limit):
			return failed("%d hits came where %d were asked for", len(hits), limit)
		}
		found = max(found, len(hits))
	}
	if found == 0 {
		return skipped("nothing is found with %q as %s: name a query and a viewer in the test", s.wordOf(), s.viewer())
	}
	return pass()
}

func searchDeadline(ctx context.Context, s *suite) verdict {
	_, err := s.search(ctx, s.viewer(), 10)
	if late(err) {
		return failed("nothing came within %v", searchTimeout)
	}
	if err != nil {
		return failed("%v", err)
	}
	return passed("%v", s.took.Round(time.Millisecond))
}

// searchRange asks for what changed long ago and for what has yet to change. A hit
// whose time is not known may come.
func searchRange(ctx context.Context, s *suite) verdict {
	past, future := time.Unix(0, 0).AddDate(0, 0, 1), time.Now().AddDate(1, 0, 0)
	for _, r := range []struct{ from, to *timestamppb.Timestamp }{{nil, timestamppb.New(past)}, {timestamppb.New(future), nil}} {
		hits, err := s.ask(ctx, &wire.SearchRequest{Limit: 10, Viewer: &wire.Viewer{Email: s.viewer()}, From: r.from, To: r.to})
		if late(err) {
			return skipped("the search does not answer in time")
		}
		if err != nil {
			return failed("%v", err)
		}
		for _, hit := range hits {
			at := hit.GetDocument().GetUpdated()
			if at.IsValid() && (r.from != nil && at.AsTime().Before(future) || r.to != nil && at.AsTime().After(past)) {
				return failed("it found %q, which was updated at %v", clip(hit.GetDocument().GetId(), 80), at.AsTime())
			}
		}
	}
	return pass()
}

func searchViewer(ctx context.Context, s *suite) verdict {
	for _, viewer := range []string{"", stranger, s.viewer()} {
		hits, err := s.search(ctx, viewer, 50)
		if late(err) {
			return skipped("the search does not answer in time")
		}
		if err != nil {
			return failed("as %q: %v", viewer, err)
		}
		for _, hit := range hits {
			if why := s.notFor(hit.GetDocument(), viewer); why != "" {
				return failed("as %q it found %q: %s", viewer, clip(hit.GetDocument().GetId(), 80), why)
			}
		}
	}
	return pass()
}

// notFor tells why a hit must not be shown to a viewer, "" if it may be. Who is in
// a group, or in the team, is not known here.
func (s *suite) notFor(d *wire.Document, viewer string) string {
	a := d.GetAccess()
	if unread(a) {
		return "it states nobody who may read it"
	}
	if old, ok := s.first.docs[d.GetId()]; ok && !sameReaders(old.access, a) {
		return "Sync gives it to " + readers(old.access) + " and Search to " + readers(a)
	}
	switch {
	case a.GetPublic(), a.GetHost():
		return ""
	case viewer == "":
		return "only what is public counts for a viewer who is not known, and it is for " + readers(a)
	case a.GetWorkspace(), len(a.GetGroups()) > 0, len(a.GetPrincipals()) > 0:
		return ""
	}
	if !slices.ContainsFunc(a.GetUsers(), func(u string) bool { return strings.EqualFold(u, viewer) }) {
		return "it is for " + readers(a)
	}
	return ""
}

// passages are what a censor judges: documents in an order of their own, with
// ids that say nothing, one document twice.
func (s *suite) passages() []*wire.Passage {
	ids := slices.Sorted(maps.Keys(s.first.docs))
	slices.Reverse(ids)
	ids = ids[:min(len(ids), 20)]
	ids = append(ids, ids[0])
	var out []*wire.Passage
	for i, id := range ids {
		d := s.first.docs[id]
		out = append(out, &wire.Passage{Id: fmt.Sprintf("p%d", (i*7+3)%1000), Document: id, Heading: d.title, Text: d.body})
	}
	return out
}

func (s *suite) censor(ctx context.Context, viewer string, passages []*wire.Passage) ([]*wire.Verdict, error) {
	tooLate := fmt.Errorf("nothing came within %v: the host drops everything", censorTimeout)
	if s.late == wire.FeatureCensor {
		return nil, tooLate
	}
	c, err := s.common(ctx)
	if err != nil {
		return nil, err
	}
	var reply *wire.CensorReply
	_, err = punctual(ctx, censorTimeout, func(ctx context.Context) (err error) {
		reply, err = c.client.Censor(ctx, &wire.CensorRequest{Viewer: &wire.Viewer{Email: viewer}, Passages: passages})
		return err
	})
	switch {
	case late(err):
		s.late = wire.FeatureCensor
		return nil, tooLate
	case err != nil:
		return nil, errors.New(c.why(errors.New(told(err))))
	}
	return reply.GetVerdicts(), nil
}

func censorOrder(ctx context.Context, s *suite) verdict {
	passages := s.passages()
	verdicts, err := s.censor(ctx, s.viewer(), passages)
	if err != nil {
		return failed("%v", err)
	}
	if len(verdicts) != len(passages) {
		return failed("%d verdicts came on %d passages", len(verdicts), len(passages))
	}
	for i, v := range verdicts {
		switch {
		case v.GetId() != passages[i].GetId():
			return failed("verdict %d is on passage %q and has to be on %q", i+1, v.GetId(), passages[i].GetId())
		case v.GetKind() == wire.VerdictKind_VERDICT_KIND_UNSPECIFIED:
			return failed("the verdict on passage %q is neither keep, redact nor drop", v.GetId())
		case v.GetKind() == wire.VerdictKind_VERDICT_KIND_REDACT && v.GetText() == "":
			return failed("the verdict on passage %q is redact, without a text", v.GetId())
		}
	}
	return pass()
}

func censorUnknown(ctx context.Context, s *suite) verdict {
	passages := s.passages()
	verdicts, err := s.censor(ctx, "", passages)
	if err != nil {
		return skipped("%v", err)
	}
	of := map[string]*wire.Access{}
	for _, p := range passages {
		of[p.GetId()] = s.first.docs[p.GetDocument()].access
	}
	for _, v := range verdicts {
		a := of[v.GetId()]
		if drop := v.GetKind() != wire.VerdictKind_VERDICT_KIND_KEEP && v.GetKind() != wire.VerdictKind_VERDICT_KIND_REDACT; drop || a.GetPublic() || a.GetHost() {
			continue
		}
		return failed("passage %q is for %s and was not dropped", v.GetId(), readers(a))
	}
	return pass()
}
