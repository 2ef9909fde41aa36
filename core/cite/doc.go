// Package cite rewrites the citation markers of an answer while it streams.
//
// A model writes [1], 【1】, [1, 3] or [doc 2]; what goes out is a link, a plain
// number or nothing, as each source may be shown. The Writer reads the answer
// once, keeps back only what may still become a marker, a link or a deleted
// blank, and gives the same text however the answer was cut into tokens.
//
// It works in two layers. The scanner (scan.go and the files named after what
// they recognise: marker, label, target, code, fence, math, url) splits the
// input into text, code, citations and deletions. The sink (sink.go) writes
// them and tidies the blanks and parentheses around what was deleted.
package cite
