// Package launch is how a connector's process is started and ended: with what
// environment, in a group and a folder of its own, over which handshake and with
// which limits. Footnote and the conformance suite both start connectors with it, so
// that under test a connector meets what it meets in production.
package launch
