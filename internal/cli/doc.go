// Package cli is Footnote's command line: one file per command, and the one
// place that wires all parts together.
package cli
