package model

import (
	"fmt"
	"strings"
)

// callBuilder puts tool calls together from their pieces.
type callBuilder struct {
	slots []*callSlot
}

type callSlot struct {
	index     int
	id, name  string
	arguments strings.Builder
}

// add takes one piece. Pieces belong together by index. Where a server repeats
// an index for the next call, or sends none, a new id starts a new call.
func (b *callBuilder) add(p chunkCall) {
	slot := b.find(p)
	if slot == nil {
		slot = &callSlot{index: len(b.slots)}
		if p.Index != nil {
			slot.index = int(*p.Index)
		}
		b.slots = append(b.slots, slot)
	}
	if slot.id == "" {
		slot.id = p.ID.text
	}
	if p.Function.Name.text != slot.name {
		slot.name += p.Function.Name.text
	}
	slot.arguments.WriteString(p.Function.Arguments.text)
}

func (b *callBuilder) find(p chunkCall) *callSlot {
	for i := len(b.slots) - 1; i >= 0; i-- {
		slot := b.slots[i]
		if p.Index != nil && slot.index != int(*p.Index) {
			continue
		}
		fresh := p.ID.text != "" && slot.id != "" && p.ID.text != slot.id
		if p.Index == nil && p.ID.text == "" {
			fresh = p.Function.Name.text != ""
		}
		if fresh {
			return nil
		}
		return slot
	}
	return nil
}

// calls returns the finished calls in order. Every call has an id of its own.
func (b *callBuilder) calls() []ToolCall {
	var out []ToolCall
	given := map[string]bool{}
	for _, slot := range b.slots {
		given[slot.id] = true
	}
	used := map[string]bool{"": true}
	for i, slot := range b.slots {
		id := slot.id
		for n := i + 1; used[id]; n++ {
			if next := fmt.Sprintf("call_%d", n); !given[next] {
				id = next
			}
		}
		used[id] = true
		out = append(out, ToolCall{ID: id, Name: slot.name, Arguments: slot.arguments.String()})
	}
	return out
}
