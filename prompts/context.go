package prompts

// ContextVersion is raised when the texts below change so much that the contexts of
// all passages are to be made again.
const ContextVersion = 1

// ContextSystem asks where a passage stands in its document.
func ContextSystem() string { return plain("context.md") }

// ContextDocument is the document as a JSON object, or a part of it. It comes first:
// what a provider keeps of one call serves the next passages of the document.
func ContextDocument(document string, part bool) string {
	return render("context_document.md", struct {
		Document string
		Part     bool
	}{document, part})
}

// ContextPassage is the passage as a JSON object.
func ContextPassage(passage string) string { return render("context_passage.md", passage) }
