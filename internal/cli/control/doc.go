// Package control lets several footnote processes share one data folder. The
// process that holds the folder's lock runs the commands of the others: they
// send their arguments over a socket in the folder and pass streams through, so
// that a command behaves the same whoever runs it.
//
// The socket is <data>/footnote.sock with mode 0600. Where that path is too long
// for a socket, a plain file of that name holds the path of the real one, which
// lies in a temporary folder of mode 0700.
package control

import (
	"errors"
	"io"
)

// Request is a command as the caller's process was given it.
type Request struct {
	Args   []string `json:"args"`
	Dir    string   `json:"dir"` // working folder, for relative paths
	InTTY  bool     `json:"in_tty"`
	OutTTY bool     `json:"out_tty"`
	ErrTTY bool     `json:"err_tty"`
	Width  int      `json:"width"` // of the terminal in cells; 0 if none
}

// Streams are the three standard streams of a command and the interrupts that
// its user sends.
type Streams struct {
	In         io.Reader
	Out, Err   io.Writer
	Interrupts *Interrupts // nil: none
}

var (
	// ErrHeld means that another process holds the data folder.
	ErrHeld = errors.New("data folder is held by another process")
	// ErrNobody means that no process answers on the folder's socket.
	ErrNobody = errors.New("nobody answers on the data folder's socket")
	// ErrLost means that the process that ran the command went away.
	ErrLost = errors.New("the process that ran the command went away")
)

// frame is one line on the socket, a JSON object, in either direction.
type frame struct {
	Hello bool   `json:"hello,omitempty"` // holder: I am here and take the request
	In    []byte `json:"in,omitempty"`    // caller: input
	EOF   bool   `json:"eof,omitempty"`   // caller: no more input
	Stop  bool   `json:"stop,omitempty"`  // caller: the user pressed Ctrl-C
	Quit  bool   `json:"quit,omitempty"`  // caller: end the command
	Want  bool   `json:"want,omitempty"`  // holder: send input
	Out   []byte `json:"out,omitempty"`   // holder: for standard output
	Err   []byte `json:"err,omitempty"`   // holder: for standard error
	Exit  *int   `json:"exit,omitempty"`  // holder: ended with this code
}
