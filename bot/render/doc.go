// Package render turns the Markdown that a model writes into what chat platforms
// show.
//
// Render parses once (parser.go, inline.go, block.go: goldmark with GFM, tolerant
// of Chinese and Japanese emphasis and of Slack's own link form) and prints the
// tree in one of four dialects (printer.go and the files named after what they
// print). Escaping happens where text is printed, never before parsing. Split and
// SplitMarkdown cut what is too long for a message, Settle and Draft make an
// unfinished answer fit to be shown, Stream lets an answer out in safe pieces.
//
// Which links may be live at all is decided before, in the core: by the time a
// text gets here, a foreign link is its label already. What this package adds is
// that no text can notify anybody and that no token of a platform stands in the
// output that the package did not build.
package render
