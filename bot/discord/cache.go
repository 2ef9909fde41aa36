package discord

import (
	"context"
	"sync"
	"time"
)

// mostCached is how many things a cache keeps.
const mostCached = 10_000

// cache keeps what Discord said for a short time. An event that makes a thing
// doubtful drops it, also one that comes while it is being looked up.
type cache[T any] struct {
	age time.Duration

	mu    sync.Mutex
	items map[string]cached[T]
	epoch uint64 // counts all drops
}

type cached[T any] struct {
	value T
	at    time.Time
}

func newCache[T any](age time.Duration) *cache[T] {
	return &cache[T]{age: age, items: map[string]cached[T]{}}
}

// get returns what is kept, or looks it up. Errors are not kept.
func (c *cache[T]) get(ctx context.Context, key string, look func(context.Context) (T, error)) (T, error) {
	for range 3 {
		c.mu.Lock()
		got, ok := c.items[key]
		epoch := c.epoch
		c.mu.Unlock()
		if ok && time.Since(got.at) < c.age {
			return got.value, nil
		}
		began := time.Now()
		value, err := look(ctx)
		if err != nil {
			return value, err
		}
		if c.put(key, value, began, epoch) {
			return value, nil
		}
	}
	return look(ctx) // it changes all the time; this is as new as can be
}

// put keeps a value unless something was dropped meanwhile.
func (c *cache[T]) put(key string, value T, at time.Time, epoch uint64) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.epoch != epoch {
		return false
	}
	if len(c.items) >= mostCached {
		c.items = map[string]cached[T]{}
	}
	c.items[key] = cached[T]{value, at}
	return true
}

func (c *cache[T]) drop(key string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.epoch++
	delete(c.items, key)
}

// clear drops everything.
func (c *cache[T]) clear() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.epoch++
	c.items = map[string]cached[T]{}
}

// now is the epoch to give to put.
func (c *cache[T]) now() uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.epoch
}
