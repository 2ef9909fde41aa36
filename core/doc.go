// Package core is Footnote's vocabulary: the nouns, the error kinds and the
// few interfaces that its parts share. It imports the standard library only.
//
// The words, each defined once and used everywhere (code, command line, docs,
// messages):
//
//   - A Source is one configured connection to one system: a connector plus its
//     configuration and secrets. A connector is the program that does the
//     talking; it runs in a process of its own.
//   - A Document is one page, file, ticket or thread of a source. A Passage is a
//     piece of a document, the unit that search returns and a citation points
//     at. Neighbouring passages that were merged form a section.
//   - A Principal names readers: public, workspace, workspace:<id>,
//     user:<email>, group:<source>/<name>. The Access of a document is the set
//     of principals who may read it; empty means nobody.
//   - A Viewer is who asks, with the principals they hold. A Place is a channel,
//     thread, direct message, terminal or HTTP session. The Audience of a place
//     is who can read a reply there: a class, the principals that bound
//     retrieval, and the link policy.
//   - An Agent is a named set of instructions, model, tools and knowledge. A
//     collection is a named rule over sources, folders and tags.
//   - A Turn is one question and its final answer. A cycle is one model call
//     inside a turn. A Citation is a number, a document, a passage and a quote.
//   - A Mode says whether an answer was written by a model or is made of quotes.
//   - The ledger is what SQLite remembers; the Index is derived from it and can
//     be rebuilt at any time.
package core
