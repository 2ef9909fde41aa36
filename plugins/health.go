package plugins

import (
	"errors"
	"fmt"
	"time"

	"github.com/footnote-bot/footnote/core"
)

// State says whether a source's connector may run.
type State string

const (
	StateReady   State = "ready"   // not running, is started when needed
	StateRunning State = "running" // has a process
	StateWaiting State = "waiting" // failed, or was asked to slow down; tried again at Until
	StateParked  State = "parked"  // not tried again until its settings change or somebody says so
)

// SourceState is how a source's connector fares.
type SourceState struct {
	Source   string
	State    State
	Since    time.Time // of the state
	Until    time.Time // of waiting
	Failures int       // in a row
	Crashes  int       // processes that ended by themselves, since the host started
	Err      error     // the last failure; nil after a success
}

// pauses is how long a source rests after each failure in a row. One more parks
// it.
var pauses = []time.Duration{time.Minute, 5 * time.Minute, 30 * time.Minute}

// health is what is remembered of a source's failures.
type health struct {
	state    State // ready, waiting or parked
	since    time.Time
	until    time.Time
	failures int
	err      error
}

// after decides what an outcome means for the next try. Nil is a success; what
// the host itself stopped says nothing.
func (h health) after(err error, now time.Time) health {
	switch core.KindOf(err) {
	case "":
		return health{state: StateReady, since: now}
	case core.KindCancelled:
		return h
	case core.KindBusy:
		pause, ok := RetryAfter(err)
		if !ok {
			pause = pauses[0]
		}
		return h.wait(err, now, pause) // no failure: the system is just slow
	case core.KindAuth, core.KindDenied, core.KindConfig:
		return h.park(err, now) // nothing changes by itself
	}
	h.failures++
	if h.failures > len(pauses) {
		return h.park(err, now)
	}
	return h.wait(err, now, pauses[h.failures-1])
}

func (h health) wait(err error, now time.Time, pause time.Duration) health {
	h.state, h.since, h.until, h.err = StateWaiting, now, now.Add(pause), err
	return h
}

func (h health) park(err error, now time.Time) health {
	if h.state != StateParked {
		h.since = now
	}
	h.state, h.until, h.err = StateParked, time.Time{}, err
	return h
}

// refusal is why the source's connector may not be started now, nil if it may.
func (h health) refusal(source string, now time.Time) error {
	switch {
	case h.state == StateParked:
		return core.Wrap(core.KindOf(h.err), &restError{err: h.err}, fmt.Sprintf(
			"source %q is parked since %s and is not tried again until its settings change or somebody starts it with: footnote sync %s. The reason: %v",
			source, h.since.Format(time.DateTime), source, h.err))
	case h.state == StateWaiting && now.Before(h.until):
		return core.Wrap(core.KindUnavailable, &restError{err: h.err, until: h.until}, fmt.Sprintf(
			"source %q is tried again at %s, or now with: footnote sync %s. The reason for the pause: %v",
			source, h.until.Format(time.DateTime), source, h.err))
	}
	return nil
}

// restError marks the error of a source that was not even tried.
type restError struct {
	err   error
	until time.Time
}

func (e *restError) Error() string { return e.err.Error() }
func (e *restError) Unwrap() error { return e.err }

// Resting tells whether an error means that a source was not tried because it
// waits or is parked; until is zero for a parked one.
func Resting(err error) (until time.Time, resting bool) {
	var rest *restError
	if !errors.As(err, &rest) {
		return time.Time{}, false
	}
	return rest.until, true
}
