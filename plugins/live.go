package plugins

import (
	"context"
	"strconv"
	"time"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/plugin-sdk/wire"
)

// CanSearch tells whether Search works with this connector.
func (c *Connection) CanSearch() bool { return c.can(wire.FeatureSearch) }

// CanCensor tells whether the source wants to be asked before its passages are
// shown.
func (c *Connection) CanCensor() bool { return c.can(wire.FeatureCensor) }

// Search looks something up in the system itself, on behalf of a viewer: at most
// limit hits, best first, of documents updated within the range. It takes no
// longer than Options.SearchTimeout. A hit states who may read it, as a stored
// document does, and the caller decides by that; it has no passage id, and its
// passage's text is the part that fits the question.
func (c *Connection) Search(ctx context.Context, text string, viewer core.Viewer, limit int, updated core.Range) ([]core.Result, error) {
	const doing = "searching live"
	ctx, cancel := context.WithTimeout(ctx, c.host.opts.SearchTimeout)
	defer cancel()
	reply, err := c.process.client.Search(ctx, &wire.SearchRequest{
		Text: text, Limit: int32(min(max(limit, 1), 1000)), Viewer: toViewer(viewer), From: stamp(updated.From), To: stamp(updated.To),
	})
	if err != nil {
		return nil, c.explain(ctx, doing, err)
	}
	var out []core.Result
	for _, hit := range reply.GetHits() {
		d, ok := c.document(hit.GetDocument())
		if !ok || len(out) == limit {
			continue
		}
		p := core.Passage{Document: d.ID, Text: hit.GetSnippet()}
		if p.Text == "" {
			p.Text = d.Body
		}
		d.Body = ""
		out = append(out, core.Result{Document: d, Passage: p, Score: hit.GetScore()})
	}
	return out, nil
}

// document binds a document that did not come by Sync to its source, false if it
// cannot be used.
func (c *Connection) document(d *wire.Document) (core.Document, bool) {
	up, ok := toUpsert(c.src.Name, d).(core.Upsert)
	if !ok || up.Failed != nil {
		return core.Document{}, false
	}
	if up.HostAccess {
		up.Document.Access = c.src.Access
	}
	up.Document.Discretion = c.src.Discretion
	return up.Document, true
}

// Censor asks the source what of its passages the viewer may read now. It answers
// each one, in order, within Options.CensorTimeout; an error drops all of them.
func (c *Connection) Censor(ctx context.Context, viewer core.Viewer, passages []core.Result) ([]core.Verdict, error) {
	const doing = "asking what may be shown"
	if len(passages) == 0 {
		return nil, nil
	}
	req := &wire.CensorRequest{Viewer: toViewer(viewer)}
	for i, p := range passages {
		req.Passages = append(req.Passages, &wire.Passage{
			Id: strconv.Itoa(i), Document: p.Document.ExternalID, Heading: p.Passage.Heading, Text: p.Passage.Text,
		})
	}
	if size := proto.Size(req); size > wire.MaxMessage {
		return nil, core.Errorf(core.KindTooLarge, "source %q: %s: %d passages take %d bytes, the limit is %d",
			c.src.Name, doing, len(passages), size, wire.MaxMessage)
	}
	ctx, cancel := context.WithTimeout(ctx, c.host.opts.CensorTimeout)
	defer cancel()
	reply, err := c.process.client.Censor(ctx, req)
	if err != nil {
		return nil, c.explain(ctx, doing, err)
	}
	return c.verdicts(reply.GetVerdicts(), len(passages))
}

// verdicts holds the answers against the questions: a verdict on another passage
// must never count.
func (c *Connection) verdicts(list []*wire.Verdict, asked int) ([]core.Verdict, error) {
	if len(list) != asked {
		return nil, core.Errorf(core.KindInvalid,
			"source %q: the connector gave %d verdicts on %d passages, so none of them is shown: report this to its author", c.src.Name, len(list), asked)
	}
	out := make([]core.Verdict, asked)
	for i, v := range list {
		if v.GetId() != strconv.Itoa(i) {
			return nil, core.Errorf(core.KindInvalid,
				"source %q: the connector's verdicts are not in the order of the passages, so none of them is shown: report this to its author", c.src.Name)
		}
		switch v.GetKind() {
		case wire.VerdictKind_VERDICT_KIND_KEEP:
			out[i] = core.Verdict{Keep: true}
		case wire.VerdictKind_VERDICT_KIND_REDACT:
			out[i] = core.Verdict{Keep: v.GetText() != "", Text: v.GetText()}
		}
	}
	return out, nil
}

// toViewer says as little of a viewer as a connector needs.
func toViewer(v core.Viewer) *wire.Viewer { return &wire.Viewer{Email: v.Email, Name: v.Name} }

func stamp(t time.Time) *timestamppb.Timestamp {
	if t.IsZero() {
		return nil
	}
	return timestamppb.New(t)
}
