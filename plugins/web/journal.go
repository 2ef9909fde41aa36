package web

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	sdk "github.com/footnote-bot/footnote/plugin-sdk"
)

// line is one line of the journal; one field of it is set.
type line struct {
	Settings string `json:"settings,omitempty"`
	Page     *known `json:"page,omitempty"`
	State    *state `json:"state,omitempty"`
	Mark     string `json:"mark,omitempty"`
}

// cursor is what the host keeps.
type cursor struct {
	Mark string `json:"mark"`
}

const journal = "crawl.jsonl"

// load reads the journal up to a mark, or up to its last one where mark is "". It
// returns nil where there is no such mark or the settings were others: all is read
// anew then, which costs requests and no more.
func load(dir, settings, mark string) (*state, int64, error) {
	f, err := os.Open(filepath.Join(dir, journal))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, 0, nil
	}
	if err != nil {
		return nil, 0, fmt.Errorf("what is known of the site cannot be read: %w", err)
	}
	defer f.Close()
	st, in, at := newState(settings), bufio.NewReaderSize(f, 64<<10), int64(0)
	var found *state
	var end int64
	var pending []*known
	var next *state
	for {
		text, err := in.ReadBytes('\n')
		if err != nil && err != io.EOF {
			return nil, 0, fmt.Errorf("what is known of the site cannot be read: %w", err)
		}
		var l line
		if err == io.EOF || json.Unmarshal(text, &l) != nil {
			break // the rest of a line whose writing was cut short
		}
		at += int64(len(text))
		st.lines++
		switch {
		case l.Settings != "" && l.Settings != settings:
			return nil, 0, nil
		case l.Page != nil:
			pending = append(pending, l.Page)
		case l.State != nil:
			next = l.State
		case l.Mark != "":
			for _, k := range pending {
				st.put(k)
			}
			if next != nil {
				st.Round, st.Named, st.Whole = next.Round, next.Named, next.Whole
			}
			pending, found, end, st.mark = pending[:0], st, at, l.Mark
			if l.Mark == mark {
				return st, end, nil
			}
		}
	}
	if found == nil || mark != "" {
		return nil, 0, nil
	}
	return found, end, nil
}

// open makes the state of a sync, which writes to the journal from there on.
func open(dir, settings string, since sdk.Cursor) (*state, error) {
	var c cursor
	var st *state
	var end int64
	if err := since.JSON(&c); err == nil && c.Mark != "" {
		if st, end, err = load(dir, settings, c.Mark); err != nil {
			return nil, err
		}
	}
	name := filepath.Join(dir, journal)
	if st == nil || st.lines > 3*len(st.pages)+1000 {
		if st == nil {
			st = newState(settings)
		}
		return st, st.rewrite(name)
	}
	f, err := os.OpenFile(name, os.O_WRONLY, 0o600)
	if err == nil {
		if err = f.Truncate(end); err == nil {
			_, err = f.Seek(end, io.SeekStart)
		}
	}
	if err != nil {
		return nil, unwritable(err)
	}
	st.file, st.out = f, bufio.NewWriterSize(f, 64<<10)
	return st, nil
}

func unwritable(err error) error {
	return fmt.Errorf("what is known of the site cannot be written: %w", err)
}

// rewrite puts a short journal in the place of the one before.
func (st *state) rewrite(name string) error {
	f, err := os.OpenFile(name+".new", os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return unwritable(err)
	}
	st.file, st.out, st.lines = f, bufio.NewWriterSize(f, 64<<10), 0
	st.write(line{Settings: st.settings})
	for _, k := range st.order {
		st.write(line{Page: k})
	}
	st.write(line{State: st})
	if st.mark != "" {
		st.write(line{Mark: st.mark})
	}
	if err := errors.Join(st.out.Flush(), f.Sync()); err != nil {
		return unwritable(err)
	}
	if err := os.Rename(name+".new", name); err != nil {
		return unwritable(err)
	}
	return nil
}

// write appends to the journal. An error comes out at the next mark.
func (st *state) write(l line) {
	if st.out == nil {
		return
	}
	st.lines++
	text, err := json.Marshal(l)
	if err == nil {
		_, _ = st.out.Write(append(text, '\n')) // Flush returns the error
	}
}
