package plugintest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	sdk "github.com/footnote-bot/footnote/plugin-sdk"
)

// Case is a connector written in Go, for Run. Only New is needed.
type Case struct {
	// New makes the source. The exported fields that it sets are the configuration
	// of the test; each that is zero is left out.
	New func() sdk.Source
	// Config is the configuration in place of New's fields: one JSON object.
	Config json.RawMessage
	// Touch changes one document of the system or adds one.
	Touch func() error
	// Remove removes one document of the system.
	Remove func() error
	// Script is the system as an HTTP server, for connectors that talk to one.
	Script *Script
	// Token is an access token, for connectors that ask for OAuth2.
	Token string
	// Query is searched for; empty means a word of a document's title.
	Query string
	// Viewer is the e-mail address of somebody who may read something.
	Viewer string
	// Options are for a test that is not to run everything; Skip in them needs a
	// reason for each check.
	Options Options
}

const (
	childEnv   = "FOOTNOTE_PLUGINTEST_CASE"
	dataDirEnv = "FOOTNOTE_PLUGINTEST_DIR"
)

// Run holds the connector against all checks, each a subtest named by its id.
//
// The connector runs in child processes of the test binary, which run the calling
// test up to this call and then serve. What the test does before the call happens
// there again; what it sets up has its address in the configuration, as in
// production: the children are told that of the first process. Temporary files of
// the children go into a folder that is removed at the end. A test whose Run has
// a type of source to itself may call it more than once.
func Run(t *testing.T, c Case) {
	t.Helper()
	name := caseName(t, c)
	if os.Getenv(childEnv) != "" {
		if os.Getenv(childEnv) == name {
			serveChild(t, c)
		}
		return
	}
	subject, err := c.subject(t, name)
	if err != nil {
		t.Fatal(err)
	}
	o := c.Options
	o.Timeout = withinDeadline(t, o.Timeout)
	results, err := Test(t.Context(), subject, o)
	for _, r := range results {
		t.Run(r.ID, func(t *testing.T) { report(t, r) })
	}
	if err != nil {
		t.Fatal(err)
	}
}

func report(t *testing.T, r Result) {
	switch r.State {
	case Fail:
		t.Errorf("does not hold: %s: %s", r.Check, r.Reason)
	case Skip:
		t.Skip(r.Reason)
	}
}

// withinDeadline keeps one check from using up the test's time.
func withinDeadline(t *testing.T, limit time.Duration) time.Duration {
	deadline, ok := t.Deadline()
	if left := time.Until(deadline) / 2; ok && (limit == 0 || left < limit) {
		return min(max(left, time.Second), 2*time.Minute)
	}
	return limit
}

// caseName tells the calls of Run apart.
func caseName(t *testing.T, c Case) string {
	if c.New == nil {
		t.Fatal("plugintest: the Case needs New")
	}
	return fmt.Sprintf("%s %T", t.Name(), c.New())
}

// serveChild is the child process's end of Run. It does not return.
func serveChild(t *testing.T, c Case) {
	if err := os.Chdir(os.Getenv(dataDirEnv)); err != nil {
		t.Fatal(err)
	}
	go answerProbe() // it ends with the process, which Serve and SkipNow end
	sdk.Serve("plugintest", "0.0.0", c.New)
	t.SkipNow()
}

// subject makes a Subject of the case.
func (c Case) subject(t *testing.T, name string) (Subject, error) {
	exe, err := os.Executable()
	if err != nil {
		return Subject{}, err
	}
	here, err := os.Getwd()
	if err != nil {
		return Subject{}, err
	}
	s := Subject{
		Command: []string{exe, "-test.run=" + exactly(t.Name()), "-test.count=1", "-test.timeout=0"},
		Dir:     here,
		// A program with the race detector otherwise waits a second before it ends.
		Env:    []string{childEnv + "=" + name, "TMPDIR=" + t.TempDir(), "GORACE=atexit_sleep_ms=0"},
		Config: c.Config, Script: c.Script, Token: c.Token, Query: c.Query, Viewer: c.Viewer, goroutines: true,
	}
	if c.Touch != nil {
		s.Touch = func(context.Context) error { return c.Touch() }
	}
	if c.Remove != nil {
		s.Remove = func(context.Context) error { return c.Remove() }
	}
	if c.Config == nil {
		s.configFor = func(schema []byte) (json.RawMessage, error) { return configOf(c.New(), schema) }
	}
	return s, nil
}

// exactly is the -run pattern of one test.
func exactly(name string) string {
	parts := strings.Split(name, "/")
	for i, p := range parts {
		parts[i] = "^" + regexp.QuoteMeta(p) + "$"
	}
	return strings.Join(parts, "/")
}

// configOf writes the fields that are set as a configuration. The schema has the
// fields in the order of the struct.
func configOf(src sdk.Source, schema []byte) (json.RawMessage, error) {
	read, err := readSchema(schema)
	if err != nil {
		return nil, err
	}
	v := reflect.ValueOf(src)
	values := map[string]any{}
	if v.Kind() == reflect.Pointer && v.Elem().Kind() == reflect.Struct {
		next := 0
		for i := range v.Elem().NumField() {
			field := v.Elem().Type().Field(i)
			if !field.IsExported() || field.Tag.Get("config") == "-" {
				continue
			}
			if next == len(read.names) {
				return nil, errors.New("the schema has fewer properties than the source has fields")
			}
			if value := v.Elem().Field(i); !value.IsZero() {
				values[read.names[next]] = configValue(value)
			}
			next++
		}
	}
	return json.Marshal(values)
}

// configValue is what a field's value looks like in a configuration.
func configValue(v reflect.Value) any {
	switch value := v.Interface().(type) {
	case sdk.Secret:
		return string(value)
	case time.Duration:
		return value.String()
	}
	return v.Interface()
}
