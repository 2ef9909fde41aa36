package plugintest

import (
	"context"
	"encoding/json"
	"time"
)

// Subject is a connector and the world it is tested in. Only Command is needed;
// what is missing skips the checks that need it.
type Subject struct {
	Command []string // the program and its arguments
	Dir     string   // working directory; empty means the source's own folder, as in production
	Env     []string // on top of what a connector gets in production

	// Config is a configuration that works: one JSON object with the secrets in it.
	Config json.RawMessage
	// Touch changes one document or adds one, and Remove removes one.
	Touch, Remove func(context.Context) error
	// Script is the system that the connector talks to, for the fault checks.
	Script *Script
	// Token is an access token, for connectors that ask for OAuth2.
	Token string
	// Query is searched for; empty means a word of a document's title.
	Query string
	// Viewer is a person who may read something; empty means anybody.
	Viewer string

	// configFor makes the configuration where it needs the schema to do so.
	configFor func(schema []byte) (json.RawMessage, error)
	// goroutines tells that the program answers questions about itself; see probe.
	goroutines bool
}

// Options says how much is tested. The zero value is what authors want.
type Options struct {
	// Only keeps checks whose id or feature is one of these; empty means all.
	Only []string
	// Skip names checks that do not fit, each with the reason. They run, and count as
	// skipped whatever comes of them.
	Skip map[string]string
	// Timeout is what one check may take; 2 minutes if zero.
	Timeout time.Duration
	// SlowFor is how long the slow host reads; 5 s if zero.
	SlowFor time.Duration
	// Each is called with every result as it comes; nil means not.
	Each func(Result)
}
