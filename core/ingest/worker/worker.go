// Package worker is what jobs beside the syncs have in common, such as embedding: one
// piece of work at a time, on what is there and on what comes after each kick, with
// rests where it fails.
package worker

import (
	"context"
	"time"
)

// lookAgain is how often it is looked without a kick.
const lookAgain = time.Minute

// Worker runs a job. Its methods may be called from several goroutines.
type Worker struct {
	pause func(context.Context, time.Duration) error
	kick  chan struct{}
	wake  chan struct{}
	busy  chan struct{} // held by whoever works
}

// New makes a Worker. The pause returns early with the context's error; nil means by
// the clock.
func New(pause func(context.Context, time.Duration) error) *Worker {
	if pause == nil {
		pause = byTheClock
	}
	return &Worker{pause: pause, kick: make(chan struct{}, 1), wake: make(chan struct{}, 1), busy: make(chan struct{}, 1)}
}

// Kick says that there may be work. It does not wait.
func (w *Worker) Kick() {
	select {
	case w.kick <- struct{}{}:
	default: // it will look again anyway
	}
}

// Wake says that what made the job fail may be mended, and ends its rest. It does not
// wait.
func (w *Worker) Wake() {
	select {
	case w.wake <- struct{}{}:
	default: // it is about to look again
	}
}

// Take waits until nobody else works.
func (w *Worker) Take(ctx context.Context) (release func(), err error) {
	select {
	case w.busy <- struct{}{}:
		return func() { <-w.busy }, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// Job is what a Worker runs.
type Job struct {
	Work func(context.Context) error
	// Rest is how long nothing is tried after so many failures in a row.
	Rest func(err error, failures int) time.Duration
	// Failed is told of each failure and the rest that follows.
	Failed func(err error, rest time.Duration)
	// Quiet is called after a while without a kick and without a failure; nil does
	// nothing.
	Quiet func(context.Context)
}

// Run works until ctx ends. Where the job fails it rests, which only Wake ends sooner.
func (w *Worker) Run(ctx context.Context, j Job) {
	for failures := 0; ; {
		err := j.Work(ctx)
		if ctx.Err() != nil {
			return
		}
		wait := lookAgain
		if err != nil {
			failures++
			wait = j.Rest(err, failures)
			j.Failed(err, wait)
		} else {
			failures = 0
		}
		passed := w.idle(ctx, wait, err == nil)
		if passed && err == nil && j.Quiet != nil {
			j.Quiet(ctx)
		}
		if ctx.Err() != nil {
			return
		}
	}
}

// idle waits, and tells whether all the time passed. A kick ends it where one may, and
// Wake in any case.
func (w *Worker) idle(ctx context.Context, wait time.Duration, kickable bool) (passed bool) {
	waiting, cancel := context.WithCancel(ctx)
	defer cancel()
	done := make(chan error, 1)
	go func() { done <- w.pause(waiting, wait) }()
	kick := w.kick
	if !kickable {
		kick = nil
	}
	select {
	case <-kick:
	case <-w.wake:
	case err := <-done:
		return err == nil
	}
	cancel()
	<-done
	return false
}

// Rest doubles with each failure in a row, from 5 seconds to 5 minutes; what only a
// person can mend is tried rarely, after 1 to 15 minutes.
func Rest(needsPerson bool, failures int) time.Duration {
	wait, longest := 5*time.Second, 5*time.Minute
	if needsPerson {
		wait, longest = time.Minute, 15*time.Minute
	}
	for range min(failures, 10) - 1 {
		wait *= 2
	}
	return min(wait, longest)
}

func byTheClock(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-timer.C:
		return nil
	}
}
