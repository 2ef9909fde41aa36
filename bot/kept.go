package bot

import (
	"context"
	"sync"
	"time"
)

const (
	keptAge   = 10 * time.Minute
	keptRetry = time.Minute // after a failure, where an old value is there
	mostKept  = 20_000
)

// Kept remembers what a platform said for ten minutes, and for longer where it
// cannot be asked again: an outage takes nobody out of a list. It may be used from
// several goroutines.
type Kept[T any] struct {
	now func() time.Time

	mu    sync.Mutex
	items map[string]kept[T]
}

type kept[T any] struct {
	value T
	until time.Time
}

// NewKept makes an empty memory.
func NewKept[T any]() *Kept[T] { return &Kept[T]{now: time.Now, items: map[string]kept[T]{}} }

// Get returns what is remembered or looks it up. The error is that of a look-up
// before which nothing was known.
func (k *Kept[T]) Get(ctx context.Context, key string, look func(context.Context) (T, error)) (T, error) {
	k.mu.Lock()
	old, known := k.items[key]
	k.mu.Unlock()
	if known && k.now().Before(old.until) {
		return old.value, nil
	}
	value, err := look(ctx)
	age := keptAge
	if err != nil {
		if !known {
			return value, err
		}
		value, age = old.value, keptRetry
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.items) >= mostKept {
		k.items = map[string]kept[T]{}
	}
	k.items[key] = kept[T]{value, k.now().Add(age)}
	return value, nil
}
