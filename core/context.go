package core

// The context of a passage is a sentence or two in which a model says where the
// passage stands in its document. It is indexed and embedded with the passage; it is
// no part of the document, and is shown, cited and handed to models nowhere.

// UnplacedDocument is one whose passages may lack their context. A list of them is in
// the order of Recipe and Row.
type UnplacedDocument struct {
	Row        int64
	Recipe     int64 // that its contexts were made with; 0 for none
	Generation int64 // the version of its content
	Several    bool  // it has more than one passage: only then there is a context to tell
}

// ContextDocument is what contexts are made of.
type ContextDocument struct {
	Row        int64
	Generation int64
	ID         string
	Title      string
	Passages   []Passage // by ordinal
}

// PassageContext is what a model said of a passage.
type PassageContext struct {
	Key    Hash   // of all that the model was asked
	Text   string // may be empty
	Reason string // why there is none, a sentence for people; "" if the model answered
}

// PlacedDocument is a document with the contexts of all its passages.
type PlacedDocument struct {
	Row, Generation int64
	Contexts        []PassageContext // one for each passage, by ordinal; none where there are none to tell
}

// ContextCounts is how far the contexts of passages got. Passages that are alone in
// their document need none.
type ContextCounts struct {
	Passages int
	Waiting  int    // for their document's turn
	Placed   int    // that have a context
	Refused  int    // by the model
	Reason   string // of one refusal
}
