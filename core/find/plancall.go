package find

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/core/model"
)

// Model is a language model that plans and selects. *model.Client implements it.
type Model interface {
	Stream(ctx context.Context, req model.Request, each func(model.Delta) error) (model.Reply, error)
}

// The purposes of calls, as traces name them.
const (
	PurposePlan   = "plan"
	PurposeSelect = "select"
)

const (
	longestAnswer = 32 << 10 // bytes of a reply that are read
	restAfter     = 3        // failures in a row, after which a model is left alone
	restFor       = 5 * time.Minute
)

var errTooLong = core.Errorf(core.KindTooLarge, "the reply is too long for what was asked for")

// conduct is how models behaved: a model that is too slow or too weak for a
// purpose is not asked for a while, so that it does not delay every answer.
type conduct struct {
	mu     sync.Mutex
	failed map[string]int       // in a row, by purpose and model
	rests  map[string]time.Time // until then
	plain  map[string]bool      // by model: refuses a schema
	now    func() time.Time
}

func newConduct(now func() time.Time) *conduct {
	return &conduct{failed: map[string]int{}, rests: map[string]time.Time{}, plain: map[string]bool{}, now: now}
}

func (c *conduct) resting(key string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now().Before(c.rests[key])
}

func (c *conduct) note(key string, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if ok {
		c.failed[key] = 0
		return
	}
	if c.failed[key]++; c.failed[key] >= restAfter {
		c.failed[key], c.rests[key] = 0, c.now().Add(restFor)
	}
}

func (c *conduct) isPlain(name string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.plain[name]
}

func (c *conduct) setPlain(name string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.plain[name] = true
}

// mostCalls is how many requests one search makes of the model, those that a server
// refuses included.
const mostCalls = 2

var errEnough = errors.New("the model was asked twice for this search already")

// errResting says that the model failed too often of late.
var errResting = errors.New("the model failed at this several times in a row and is left alone for some minutes")

// call asks the turn's model for one JSON object within the time. What the reply
// means is read by the function, whose false counts as a failure. The error says
// why there is nothing; it is of the context where the turn itself ended.
func (p *Planning) call(ctx context.Context, purpose string, patience time.Duration, schema, system, input string, read func(string) bool) error {
	c, key := p.planner.conduct, purpose+"\x00"+p.turn.ModelName
	if c.resting(key) {
		return errResting
	}
	if p.calls >= mostCalls {
		return errEnough
	}
	limited, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	req := model.Request{Messages: []model.Message{
		{Role: model.System, Content: system}, {Role: model.User, Content: input},
	}}
	if !c.isPlain(p.turn.ModelName) {
		req.JSON = []byte(schema)
	}
	reply, err := p.stream(limited, purpose, req)
	if err != nil && core.KindOf(err) == core.KindInvalid && req.JSON != nil && limited.Err() == nil && p.calls < mostCalls {
		// The server may know no schemas; the prompt tells the form as well.
		req.JSON = nil
		if reply, err = p.stream(limited, purpose, req); err == nil {
			c.setPlain(p.turn.ModelName)
		}
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err == nil && !read(reply) {
		err = fmt.Errorf("the reply of %d bytes is not what was asked for", len(reply))
	}
	if !aboutText(err) {
		c.note(key, err == nil)
	}
	return err
}

// aboutText tells that the server refused what one question or one passage says. It
// speaks against no model: else a few odd questions would take its help from everybody.
func aboutText(err error) bool {
	kind := core.KindOf(err)
	return err != nil && !errors.Is(err, errTooLong) && (kind == core.KindInvalid || kind == core.KindTooLarge)
}

// stream makes the call and reports it. A panic is an error like any other.
func (p *Planning) stream(ctx context.Context, purpose string, req model.Request) (text string, err error) {
	var got strings.Builder
	var reply model.Reply
	started := time.Now()
	p.calls++
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("the model call panicked: %v", r)
		}
		if p.turn.Note != nil {
			p.turn.Note(purpose, reply, time.Since(started), err)
		}
	}()
	reply, err = p.turn.Model.Stream(ctx, req, func(d model.Delta) error {
		if got.Len()+len(d.Text) > longestAnswer {
			return errTooLong
		}
		got.WriteString(d.Text)
		return ctx.Err()
	})
	return got.String(), err
}
