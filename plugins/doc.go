// Package plugins is the host side of the plugin road: it starts connector
// processes, speaks the wire with them and turns what they send into the
// vocabulary of core. Each open source has one process of its own. A connector
// can die, hang or send nonsense at any moment; every such case is an error of
// one call or the failure of one document, never a hang and never a panic here.
package plugins
