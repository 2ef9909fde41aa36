package plugintest

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"google.golang.org/grpc/status"

	"github.com/footnote-bot/footnote/plugin-sdk/wire"
)

// suite runs the checks on one subject. What one check learns, such as the
// documents of a first sync, the later ones use.
type suite struct {
	subject Subject
	opts    Options
	dir     string // holds the sources' folders; removed at the end
	level   level
	why     string // why the level is not higher

	started *process            // the first process, offline and not configured
	about   *wire.DescribeReply // from describe on
	schema  schema
	config  json.RawMessage
	session *session  // a configured process, started when needed
	heard   []*output // of every process that was given the secrets
	first   *record   // what the first sync brought

	late     string        // a live call that came too late and is not tried again
	took     time.Duration // by the last search
	scripted *record       // what a sync of the scripted system brought
	asked    int           // requests that took
}

// level is how far a subject has come; a check needs one.
type level int

const (
	nothing    level = iota
	up               // it starts
	speaking         // the protocol of this kit
	described        // it tells what it is
	readable         // and what its configuration is
	configured       // it takes the configuration
	synced           // a first sync ended well
)

// check is one thing that has to hold.
type check struct {
	id    string
	text  string
	needs level
	// reaches is the level that a subject is at once the check passed; such a check
	// always runs.
	reaches level
	has     string // a feature that the connector must name
	run     func(context.Context, *suite) verdict
}

func (c check) feature() string {
	feature, _, _ := strings.Cut(c.id, ".")
	return feature
}

// Checks lists the ids of all checks, in the order in which they run.
func Checks() []string {
	var ids []string
	for _, c := range checks() {
		ids = append(ids, c.id)
	}
	return ids
}

// Test runs the checks on a subject. An error means that the kit itself cannot
// work or that ctx ended, and says nothing of the subject.
func Test(ctx context.Context, subject Subject, o Options) ([]Result, error) {
	if err := namesChecks(o); err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "plugintest-")
	if err != nil {
		return nil, err
	}
	o.Timeout = cmp.Or(o.Timeout, 2*time.Minute)
	o.SlowFor = cmp.Or(o.SlowFor, 5*time.Second)
	s := &suite{subject: subject, opts: o, dir: dir}
	defer os.RemoveAll(dir)
	defer s.close()
	var results []Result
	for _, c := range checks() {
		selected := s.selected(c)
		if !selected && c.reaches <= s.level {
			continue
		}
		r := s.one(ctx, c)
		if err := ctx.Err(); err != nil {
			return results, err
		}
		if !selected && r.State != Fail {
			continue // it only led here
		}
		if why, ok := o.Skip[c.id]; ok {
			r.State, r.Reason = Skip, plain(why+"; otherwise: "+string(r.State)+" "+r.Reason)
		}
		results = append(results, r)
		if o.Each != nil {
			o.Each(r)
		}
	}
	return results, nil
}

func namesChecks(o Options) error {
	for _, want := range slices.Concat(o.Only, slices.Sorted(maps.Keys(o.Skip))) {
		if !slices.ContainsFunc(checks(), func(c check) bool { return c.id == want || c.feature() == want }) {
			return fmt.Errorf("there is no check or feature %q; the checks are %s", want, strings.Join(Checks(), ", "))
		}
	}
	return nil
}

func (s *suite) selected(c check) bool {
	return len(s.opts.Only) == 0 || slices.Contains(s.opts.Only, c.id) || slices.Contains(s.opts.Only, c.feature())
}

// one runs a check if the subject has come far enough.
func (s *suite) one(ctx context.Context, c check) Result {
	began := time.Now()
	v := s.verdict(ctx, c)
	if c.reaches > s.level {
		if v.state == Pass {
			s.level = c.reaches
		} else if s.why == "" {
			s.why = c.id + " did not pass"
			if v.state == Skip {
				s.why = c.id + " was skipped"
			}
		}
	}
	return Result{
		ID: c.id, Feature: c.feature(), Check: c.text, State: v.state, Reason: plain(v.reason), Millis: millis(began),
	}
}

func (s *suite) verdict(ctx context.Context, c check) verdict {
	if s.level < c.needs {
		return skipped("%s", s.why)
	}
	if c.has != "" && !slices.Contains(s.about.GetFeatures(), c.has) {
		return skipped("the connector does not have the feature %s", c.has)
	}
	ctx, cancel := context.WithTimeout(ctx, s.opts.Timeout)
	defer cancel()
	v := c.run(ctx, s)
	if v.late && ctx.Err() == nil {
		v = c.run(ctx, s)
	}
	if v.state == Fail && errors.Is(ctx.Err(), context.DeadlineExceeded) {
		v.reason = fmt.Sprintf("it took longer than %v: %s", s.opts.Timeout, v.reason)
	}
	return v
}

func (s *suite) close() {
	if s.started != nil {
		s.started.stop()
	}
	if s.session != nil {
		s.session.close()
	}
}

// told is a status without the words that gRPC puts around it.
func told(err error) string {
	st, ok := status.FromError(err)
	if !ok {
		return err.Error()
	}
	return st.Code().String() + ": " + st.Message()
}
