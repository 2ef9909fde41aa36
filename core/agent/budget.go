package agent

import (
	"unicode/utf8"

	"github.com/footnote-bot/footnote/core/model"
)

// perMessage is what the wire adds to a message, in tokens.
const perMessage = 4

// tokens estimates the length of a text, on the safe side: 3.5 bytes a token in
// ASCII, a token for every other letter.
func tokens(s string) int {
	ascii, other := 0, 0
	for _, r := range s {
		if r < utf8.RuneSelf {
			ascii++
		} else {
			other++
		}
	}
	return (ascii*2+6)/7 + other
}

// room is what the context may use: 95 % of the window, since the count is an
// estimate, less the tool definitions and what is kept free for the reply.
func room(window, output int, tools []model.Tool) int {
	free := window*95/100 - output
	for _, t := range tools {
		free -= perMessage + tokens(t.Name) + tokens(t.Description) + tokens(string(t.Schema))
	}
	return free
}

// shares divides the room among results: whole where all fit, else in
// proportion to their length. Short ones stay whole as long as they fit: cut,
// they would say nothing.
func shares(sizes []int, room int) []int {
	total, short := 0, 0
	for _, s := range sizes {
		total += s
		if s <= leastShare {
			short += s
		}
	}
	room = max(room, 0)
	keep := short <= room/2
	if keep {
		total, room = total-short, room-short
	}
	out := make([]int, len(sizes))
	for i, s := range sizes {
		out[i] = s
		if total > room && !(keep && s <= leastShare) {
			out[i] = int(int64(s) * int64(room) / int64(total))
		}
	}
	return out
}

// cut shortens a text to a number of tokens, between letters.
func cut(s string, most int) string {
	if tokens(s) <= most {
		return s
	}
	// The estimate adds up letter by letter: seven ASCII bytes are two tokens.
	budget := (most - 1) * 7
	for i, r := range s {
		if r < utf8.RuneSelf {
			budget -= 2
		} else {
			budget -= 7
		}
		if budget < 0 {
			return s[:i] + "…"
		}
	}
	return s
}
