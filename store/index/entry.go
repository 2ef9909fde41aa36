package index

import (
	"errors"

	"github.com/footnote-bot/footnote/core"
)

// entry is one indexed window, packed because there are several for each document:
// 40 bits for the passage, 16 for the length in words, 8 for the number of the window
// in its passage.
type entry uint64

// lastPassage is the highest number of a passage that an entry has room for. A ledger
// gives them out one by one.
const lastPassage = core.PassageID(1)<<40 - 1

// errPassage is about a passage whose number cannot be one of a ledger.
var errPassage = errors.New("a passage has a number that no ledger gives")

func entryOf(k windowKey) entry {
	return entry(k.passage)<<24 | entry(k.length)<<8 | entry(k.number)
}

func (e entry) passage() core.PassageID { return core.PassageID(e >> 24) }
func (e entry) length() uint16          { return uint16(e >> 8) }
func (e entry) number() uint8           { return uint8(e) }

// fits tells that a passage's number has room in an entry.
func fits(p core.PassageID) bool { return p >= 0 && p <= lastPassage }
