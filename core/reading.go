package core

// What reading documents asks models for.
const (
	ForContexts   = "contexts"   // of passages
	ForPictures   = "pictures"   // their descriptions
	ForEmbeddings = "embeddings" // of passages, and of what is searched for
)

// ReadingCall is one call of a model to read documents. It is nobody's question.
type ReadingCall struct {
	Purpose string
	Model   string
	Failed  bool
	Usage   Usage
	Cost    *float64 // nil where the price is not known
}
