package index

import (
	"slices"
	"strings"
	"sync"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/blevesearch/bleve/v2/index/scorch"
	bleveindex "github.com/blevesearch/bleve_index_api"
	segment "github.com/blevesearch/scorch_segment_api/v2"
	zap "github.com/blevesearch/zapx/v17"
)

// paceKey is where the engine's configuration of segments has the index's pace.
const paceKey = "footnote.pace"

// stepBytes is how much a merge writes between two looks at who asks.
const stepBytes = 16 << 10

// registerPaced puts pacedSegments in the place of the engine's own, which it looks up
// by name. It is done once, before the first engine is made, and changes nothing for
// engines without a pace.
var registerPaced = sync.OnceFunc(func() { scorch.RegisterSegmentPlugin(&pacedSegments{}, false) })

// pacedSegments are the engine's segments, made and merged at the index's pace. Name
// and version stay the engine's, and so do the files.
type pacedSegments struct{ zap.ZapPlugin }

// NewUsing makes a segment of documents.
func (s *pacedSegments) NewUsing(docs []bleveindex.Document, config map[string]any) (segment.Segment, uint64, error) {
	p, ok := config[paceKey].(*pace)
	if !ok {
		return s.ZapPlugin.NewUsing(docs, config)
	}
	t := p.begin()
	defer t.end()
	stepping := make([]bleveindex.Document, len(docs))
	for i, d := range docs {
		stepping[i] = pacedDocument{d, t}
	}
	// They come in any order. What is near in a document lies near in the file, so that
	// a search touches less of it and a start reads a document's windows in one go.
	slices.SortFunc(stepping, func(a, b bleveindex.Document) int { return strings.Compare(a.ID(), b.ID()) })
	return s.ZapPlugin.NewUsing(stepping, config)
}

// pacedDocument makes a step whenever its fields are looked at.
type pacedDocument struct {
	bleveindex.Document
	turn *turn
}

// VisitFields implements bleveindex.Document.
func (d pacedDocument) VisitFields(visit bleveindex.FieldVisitor) {
	d.turn.step()
	d.Document.VisitFields(visit)
}

// MergeUsing makes one segment of several.
func (s *pacedSegments) MergeUsing(segments []segment.Segment, drops []*roaring.Bitmap, path string,
	stop chan struct{}, report segment.StatsReporter, config map[string]any) ([][]uint64, uint64, error) {
	p, ok := config[paceKey].(*pace)
	if !ok {
		return s.ZapPlugin.MergeUsing(segments, drops, path, stop, report, config)
	}
	t := p.begin()
	defer t.end()
	return s.ZapPlugin.MergeUsing(segments, drops, path, stop, &pacedReport{StatsReporter: report, turn: t}, config)
}

// pacedReport is told of each write of a merge.
type pacedReport struct {
	segment.StatsReporter
	turn  *turn
	since uint64 // bytes, since the last step
}

// ReportBytesWritten implements segment.StatsReporter.
func (r *pacedReport) ReportBytesWritten(n uint64) {
	r.StatsReporter.ReportBytesWritten(n)
	if r.since += n; r.since >= stepBytes {
		r.since = 0
		r.turn.step()
	}
}
