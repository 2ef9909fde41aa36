package ingest

// yielding is an index beside whose searches other work makes room.
type yielding interface {
	// Yield does a piece of work as soon as searches leave processor time for it.
	Yield(work func())
	// Searched tells whether somebody searches, or did a moment ago.
	Searched() bool
}

// yield does a piece of work that takes processor time and waits for nobody.
func (s *Syncer) yield(work func()) {
	if y, ok := s.Index.(yielding); ok {
		y.Yield(work)
		return
	}
	work()
}

// putAtOnce is how many documents go into the index at once.
func (s *Syncer) putAtOnce() int {
	if y, ok := s.Index.(yielding); ok && y.Searched() {
		return putSearched
	}
	return putDocuments
}
