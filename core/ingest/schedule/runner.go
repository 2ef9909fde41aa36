package schedule

import (
	"context"
	"log/slog"
	"math/rand/v2"
	"runtime/debug"
	"sync"
	"time"

	"github.com/footnote-bot/footnote/core"
)

// Ledger keeps the jobs. *store.Store is one.
type Ledger interface {
	Jobs(ctx context.Context) ([]core.Job, error)
	TakeJob(ctx context.Context, source string, kind core.JobKind, owner string, now, until time.Time) (bool, error)
	RenewJob(ctx context.Context, source string, kind core.JobKind, owner string, until time.Time, p core.SyncProgress) (bool, error)
	EndJob(ctx context.Context, j core.Job) error
}

// Options are the parts and limits of a Runner. Ledger, Plans, Work and Owner are
// required.
type Options struct {
	Ledger Ledger
	Owner  string // this process, unlike any other
	// Plans is what is wanted now; it is asked again at every look.
	Plans func(ctx context.Context) ([]Plan, error)
	// Work runs a task to its end. When pause is closed it is to stop at the next
	// checkpoint, when ctx ends at once.
	Work func(ctx context.Context, t Task, pause <-chan struct{}) Outcome
	// Progress is how far the source's run got; nil if nobody knows.
	Progress func(source string) core.SyncProgress

	Workers int              // runs at the same time; 3 if 0
	Look    time.Duration    // how often it is looked what is due, at least; 10 s if 0
	Now     func() time.Time // the wall clock; nil means time.Now
	Chance  func() float64   // from 0 to 1; nil means by chance
	Log     *slog.Logger     // nil discards
}

// Runner runs what is due.
type Runner struct {
	opts   Options
	limits Limits
	wake   chan struct{}

	mu      sync.Mutex
	running map[string]*active // by source and kind
	work    sync.WaitGroup
}

// active is a run in progress.
type active struct {
	task    Task
	plan    Plan
	began   time.Time // has the clock that only goes forward
	pause   chan struct{}
	pausing bool
}

// New makes a runner. It panics if a required option is missing.
func New(o Options) *Runner {
	if o.Ledger == nil || o.Plans == nil || o.Work == nil || o.Owner == "" {
		panic("schedule: Ledger, Plans, Work and Owner are required")
	}
	if o.Workers <= 0 {
		o.Workers = 3
	}
	if o.Look <= 0 {
		o.Look = Look
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Chance == nil {
		o.Chance = rand.Float64
	}
	if o.Progress == nil {
		o.Progress = func(string) core.SyncProgress { return core.SyncProgress{} }
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return &Runner{
		opts: o, limits: Limits{Workers: o.Workers, Heavy: max(1, o.Workers-1), Slice: Slice},
		wake: make(chan struct{}, 1), running: map[string]*active{},
	}
}

// Wake lets the runner look at once, because something changed.
func (r *Runner) Wake() {
	select {
	case r.wake <- struct{}{}:
	default: // it is about to look anyway
	}
}

// Run runs what is due until stop is closed: then runs end at their next checkpoint.
// When ctx ends they end at once. It returns when all have ended.
func (r *Runner) Run(ctx context.Context, stop <-chan struct{}) {
	defer r.work.Wait()
	for {
		wait := r.look(ctx)
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
		case <-r.wake:
		case <-stop:
			timer.Stop()
			r.pauseAll()
			return
		case <-ctx.Done():
			timer.Stop()
			return
		}
		timer.Stop()
	}
}

// look starts what is due and tells when to look again.
func (r *Runner) look(ctx context.Context) time.Duration {
	plans, err := r.opts.Plans(ctx)
	if err == nil {
		var jobs []core.Job
		if jobs, err = r.opts.Ledger.Jobs(ctx); err == nil {
			return r.decide(ctx, plans, jobs)
		}
	}
	if ctx.Err() == nil {
		r.opts.Log.WarnContext(ctx, "the schedule cannot be read", "error", err)
	}
	return r.opts.Look
}

func (r *Runner) decide(ctx context.Context, plans []Plan, jobs []core.Job) time.Duration {
	now := r.opts.Now()
	byName := map[string]Plan{}
	for _, p := range plans {
		byName[p.Source] = p
	}
	d := Next(Tasks(plans, jobs, r.opts.Owner, now), r.runs(), r.limits, now)
	for _, p := range append(d.Pause, unwanted(r.runs(), byName)...) {
		r.pause(p.Source, p.Kind)
	}
	for _, t := range d.Start {
		r.start(ctx, t, byName[t.Source])
	}
	if d.Wake.IsZero() {
		return r.opts.Look
	}
	return min(r.opts.Look, max(d.Wake.Sub(now), time.Second))
}

func (r *Runner) runs() []Run {
	r.mu.Lock()
	defer r.mu.Unlock()
	var out []Run
	for _, a := range r.running {
		out = append(out, Run{Task: a.task, For: time.Since(a.began), Pausing: a.pausing})
	}
	return out
}

func key(source string, kind core.JobKind) string { return source + " " + string(kind) }

func (r *Runner) pause(source string, kind core.JobKind) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if a := r.running[key(source, kind)]; a != nil && !a.pausing {
		a.pausing = true
		close(a.pause)
	}
}

func (r *Runner) pauseAll() {
	for _, run := range r.runs() {
		r.pause(run.Source, run.Kind)
	}
}

// start leases the job and runs it on a goroutine that Run waits for.
func (r *Runner) start(ctx context.Context, t Task, p Plan) {
	now := r.opts.Now()
	got, err := r.opts.Ledger.TakeJob(ctx, t.Source, t.Kind, r.opts.Owner, now, now.Add(LeaseFor))
	if err != nil && ctx.Err() == nil {
		r.opts.Log.WarnContext(ctx, "a job was not started", "source", t.Source, "job", t.Kind, "error", err)
	}
	if !got {
		return
	}
	a := &active{task: t, plan: p, began: time.Now(), pause: make(chan struct{})}
	r.mu.Lock()
	r.running[key(t.Source, t.Kind)] = a
	r.mu.Unlock()
	r.work.Go(func() { r.run(ctx, a, now) })
}

func (r *Runner) run(ctx context.Context, a *active, started time.Time) {
	working, cancel := context.WithCancel(ctx)
	var keeping sync.WaitGroup
	keeping.Go(func() { r.keep(working, a, cancel) })
	out := r.guarded(working, a)
	cancel()
	keeping.Wait()
	r.end(ctx, a, started, out)
	r.mu.Lock()
	delete(r.running, key(a.task.Source, a.task.Kind))
	r.mu.Unlock()
	r.Wake()
}

// keep renews the lease. A run that lost it ends: somebody else has the job.
func (r *Runner) keep(ctx context.Context, a *active, lost func()) {
	tick := time.NewTicker(LeaseFor / 4)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		held, err := r.opts.Ledger.RenewJob(ctx, a.task.Source, a.task.Kind, r.opts.Owner,
			r.opts.Now().Add(LeaseFor), r.opts.Progress(a.task.Source))
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			r.opts.Log.WarnContext(ctx, "a lease was not renewed", "source", a.task.Source, "job", a.task.Kind, "error", err)
		case !held:
			r.opts.Log.WarnContext(ctx, "another process has the job now", "source", a.task.Source, "job", a.task.Kind)
			lost()
			return
		}
	}
}

// guarded keeps a panic from ending more than its own run.
func (r *Runner) guarded(ctx context.Context, a *active) (out Outcome) {
	defer func() {
		if fault := recover(); fault != nil {
			r.opts.Log.Error("a job panicked", "source", a.task.Source, "job", a.task.Kind, "fault", fault, "stack", string(debug.Stack()))
			out = Outcome{Err: core.Errorf(core.KindInternal, "The %s of source %q broke; the log says more.", a.task.Kind, a.task.Source)}
		}
	}()
	return r.opts.Work(ctx, a.task, a.pause)
}
