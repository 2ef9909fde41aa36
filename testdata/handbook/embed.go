// Package handbook holds the handbook of an invented company, Northquay
// Robotics, and questions about it. Demo, tests and evaluations read it; nothing
// in it is about a real firm or person.
package handbook

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
)

// FS holds the documents and nothing else, below the folder Root.
//
//go:embed docs
var FS embed.FS

// Root is the folder of FS that the documents lie in. The paths in
// Question.Documents are relative to it.
const Root = "docs"

//go:embed questions.jsonl
var questionRows []byte

// Question is one row of the evaluation set.
type Question struct {
	ID        string   `json:"id"`
	Text      string   `json:"text"`      // as a colleague would write it in a chat
	Language  string   `json:"language"`  // ISO 639-1 of Text: en, de or zh
	Documents []string `json:"documents"` // any of these answers it; empty where nothing does
	Answer    string   `json:"answer"`    // short; empty where there is none
	// TitleOverlap tells whether Text shares a content word with the title of
	// one of Documents. Where it is false, a search in titles is of no use.
	TitleOverlap bool `json:"title_overlap"`
}

// Answerable tells whether the handbook holds an answer for every employee.
func (q Question) Answerable() bool { return len(q.Documents) > 0 }

// Questions reads the evaluation set in file order. The error names the row.
func Questions() ([]Question, error) {
	var out []Question
	row := 0
	for line := range bytes.Lines(questionRows) {
		row++
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		dec := json.NewDecoder(bytes.NewReader(line))
		dec.DisallowUnknownFields()
		var q Question
		if err := dec.Decode(&q); err != nil {
			return nil, fmt.Errorf("questions.jsonl row %d: %w", row, err)
		}
		out = append(out, q)
	}
	return out, nil
}
