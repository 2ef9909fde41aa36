package eval

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/footnote-bot/footnote/core"
)

// Question is one of the team's own, with what a good search finds for it.
type Question struct {
	Question string   `json:"question"`
	Expect   []string `json:"expect,omitempty"` // ids or addresses of documents, one of which has to be found
	Answer   []string `json:"answer,omitempty"` // texts, one of which has to stand in what the model reads
	As       string   `json:"as,omitempty"`     // who asks, by e-mail; the operator if empty
}

func (q Question) key() string { return q.Question + "\x00" + q.As }

// ReadQuestions reads questions from a file of one JSON object a line. Errors are of
// kind not_found for a missing file and invalid for a line, which they name.
func ReadQuestions(path string) ([]Question, error) {
	var out []Question
	seen := map[string]bool{}
	err := eachLine(path, func(line string) error {
		var q Question
		d := json.NewDecoder(bytes.NewReader([]byte(line)))
		d.DisallowUnknownFields()
		if err := d.Decode(&q); err != nil {
			return fmt.Errorf("%w; a line has question, expect, answer and as", err)
		}
		q.Question = strings.TrimSpace(q.Question)
		switch {
		case q.Question == "":
			return fmt.Errorf("it has no question")
		case len(q.Expect)+len(q.Answer) == 0 || slices.Contains(q.Expect, "") || slices.Contains(q.Answer, ""):
			return fmt.Errorf("it expects nothing: set expect to ids or addresses of documents, or answer to texts")
		case seen[q.key()]:
			return fmt.Errorf("the same person asks the same question twice")
		}
		seen[q.key()] = true
		out = append(out, q)
		return nil
	})
	if err == nil && len(out) == 0 {
		err = core.Errorf(core.KindInvalid, "%s holds no questions", path)
	}
	return out, err
}

// Hit is a document that a question found.
type Hit struct {
	ID  string `json:"document_id"`
	URL string `json:"url,omitempty"`
}

// Sought is what a question found: documents, best first, and the text that a model
// would read.
type Sought struct {
	Hits    []Hit
	Context string
}

// Seeker asks one question of the documents as they are.
type Seeker interface {
	Seek(ctx context.Context, q Question, k int) (Sought, error)
}

// Result is how one question went.
type Result struct {
	Question
	Rank     int   `json:"rank"`                 // of the first expected document; 0 if it is not among the first K
	Answered *bool `json:"in_context,omitempty"` // an answer stands in the context; absent where none was given
	Found    []Hit `json:"found"`
}

// good tells whether everything that was expected came.
func (r Result) good() bool {
	return (len(r.Expect) == 0 || r.Rank > 0) && (r.Answered == nil || *r.Answered)
}

// OwnReport is how the questions went.
type OwnReport struct {
	Questions int      `json:"questions"`
	K         int      `json:"k"`
	Found     float64  `json:"found_at_k"`           // share of those with expected documents
	MRR       float64  `json:"mrr"`                  // of these
	Answered  *float64 `json:"in_context,omitempty"` // share of those with answers
	Results   []Result `json:"results"`
}

// Ask asks all questions and looks for what they expect among the first k documents.
func Ask(ctx context.Context, questions []Question, k int, s Seeker) (OwnReport, error) {
	r := OwnReport{Questions: len(questions), K: k, Results: []Result{}}
	withDocuments, withAnswers, answered := 0, 0, 0
	for _, q := range questions {
		sought, err := s.Seek(ctx, q, k)
		if err != nil {
			return r, fmt.Errorf("%q: %w", q.Question, err)
		}
		one := judge(q, sought, k)
		r.Results = append(r.Results, one)
		if len(q.Expect) > 0 {
			withDocuments++
			if one.Rank > 0 {
				r.Found++
				r.MRR += 1 / float64(one.Rank)
			}
		}
		if one.Answered != nil {
			withAnswers++
			if *one.Answered {
				answered++
			}
		}
	}
	r.Found /= float64(max(1, withDocuments))
	r.MRR /= float64(max(1, withDocuments))
	if withAnswers > 0 {
		share := float64(answered) / float64(withAnswers)
		r.Answered = &share
	}
	return r, nil
}

func judge(q Question, s Sought, k int) Result {
	r := Result{Question: q, Found: s.Hits[:min(k, len(s.Hits))]}
	if r.Found == nil {
		r.Found = []Hit{}
	}
	for i, h := range r.Found {
		if slices.ContainsFunc(q.Expect, h.is) {
			r.Rank = i + 1
			break
		}
	}
	if len(q.Answer) > 0 {
		text := plain(s.Context)
		in := slices.ContainsFunc(q.Answer, func(a string) bool { return strings.Contains(text, plain(a)) })
		r.Answered = &in
	}
	return r
}

// is tells whether an expectation names the document: by its id, or by its address,
// with or without what opens a part of it.
func (h Hit) is(expected string) bool {
	address, _, _ := strings.Cut(h.URL, "#")
	return expected == h.ID || h.URL != "" && (expected == h.URL || strings.TrimSuffix(expected, "/") == strings.TrimSuffix(address, "/"))
}

// plain is a text without what is no difference in meaning: case, spaces and marks of
// emphasis.
func plain(text string) string {
	text = strings.NewReplacer("*", "", "_", " ", "`", "", " ", " ", "’", "'").Replace(strings.ToLower(text))
	return strings.Join(strings.Fields(text), " ")
}
