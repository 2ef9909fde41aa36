package core

import "time"

// DocumentVote is what a curator thinks of a document as a source; a later one of
// the same account replaces it.
type DocumentVote struct {
	Document string // id
	Account  string // key
	Up       bool
	TurnID   string // in whose answer it stood
	At       time.Time
}

// HiddenDocument is one that a curator took out of search, whatever its source
// says.
type HiddenDocument struct {
	Document string
	Account  string // key of who hid it
	At       time.Time
}

// Standing is how many curators think well and badly of a document.
type Standing struct{ Up, Down int }
