package index

import "strings"

// particles stand between words of Chinese and Japanese and belong to none of them.
const particles = "的了是在有和与與及或之于於也都而被把对對为為从從到向呢吗嗎吧" + "はがをにでともへやの"

// lone emits the words of one character in a run of a script without spaces: those
// that particles or the ends of the run enclose. In pairs of characters such a word is
// never seen by itself, so that who asks 盐的用途 would miss a text that has 盐是.
func lone(run string, emit func(piece)) {
	enclosed := true // by what stands before
	var word string
	for _, r := range strings.ToLower(run) {
		switch {
		case strings.ContainsRune(particles, r):
			if word != "" {
				emit(piece{text: word, kind: gram})
			}
			enclosed, word = true, ""
		case enclosed:
			enclosed, word = false, string(r)
		default:
			word = ""
		}
	}
	if word != "" && len(word) < len(run) { // a run of one is emitted as it is
		emit(piece{text: word, kind: gram})
	}
}
