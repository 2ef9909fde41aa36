package bot

import (
	"context"
	"fmt"
	"hash/fnv"
	"log/slog"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"
)

// Queue hands the events of a platform to a fixed number of workers. Events of one
// key are handled in the order in which they came. A panic ends the handling of
// one event and nothing else.
type Queue struct {
	rooms []chan job
	time  time.Duration
	log   *slog.Logger
	work  sync.WaitGroup
	open  atomic.Int64 // offered and not handled
}

type job struct {
	name string
	do   func(context.Context)
}

// NewQueue makes a queue of so many workers, each with room for so many events;
// the handling of one has the given time.
func NewQueue(workers, room int, each time.Duration, log *slog.Logger) *Queue {
	q := &Queue{rooms: make([]chan job, workers), time: each, log: log}
	for i := range q.rooms {
		q.rooms[i] = make(chan job, room)
	}
	return q
}

// Offer puts an event into the queue, or tells that there is no room.
func (q *Queue) Offer(key, name string, do func(context.Context)) bool {
	h := fnv.New32a()
	h.Write([]byte(key)) //nolint:errcheck // a hash never fails
	q.open.Add(1)
	select {
	case q.rooms[h.Sum32()%uint32(len(q.rooms))] <- job{name, do}:
		return true
	default:
		q.open.Add(-1)
		return false
	}
}

// Run starts the workers. They end with the context; Wait returns then. What is in
// the queue at that moment was promised to be handled, so it still is, as far as
// that takes no longer than ten seconds.
func (q *Queue) Run(ctx context.Context) {
	for _, room := range q.rooms {
		q.work.Go(func() {
			for {
				select {
				case <-ctx.Done():
					q.drain(ctx, room)
					return
				case j := <-room:
					q.handle(ctx, j)
				}
			}
		})
	}
}

// drainTime is how long the handling of what is left may take.
const drainTime = 10 * time.Second

func (q *Queue) drain(ctx context.Context, room chan job) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), drainTime)
	defer cancel()
	for ctx.Err() == nil {
		select {
		case j := <-room:
			q.handle(ctx, j)
		default:
			return
		}
	}
	if n := len(room); n > 0 {
		q.log.Error("events were left unhandled at the end", "events", n)
	}
}

// Waiting is how many events nobody handles yet.
func (q *Queue) Waiting() int {
	n := 0
	for _, room := range q.rooms {
		n += len(room)
	}
	return n
}

// Open is how many events wait or are being handled.
func (q *Queue) Open() int { return int(q.open.Load()) }

// Wait returns when all workers have ended.
func (q *Queue) Wait() { q.work.Wait() }

func (q *Queue) handle(ctx context.Context, j job) {
	defer q.open.Add(-1)
	ctx, cancel := context.WithTimeout(ctx, q.time)
	defer cancel()
	Guarded(q.log, j.name, func() { j.do(ctx) })
}

// Guarded runs a function so that its panic is logged and ends there.
func Guarded(log *slog.Logger, name string, do func()) {
	defer func() {
		if fault := recover(); fault != nil {
			log.Error("handling an event panicked", "event", name, "fault", fmt.Sprintf("%T", fault), "stack", string(debug.Stack()))
		}
	}()
	do()
}
