package plugins

import (
	"cmp"
	"context"
	"encoding/json"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/plugin-sdk/wire"
)

// Options says how connectors are started. Only Executable and Dir are needed.
type Options struct {
	Executable string // the program that serves bundled connectors
	Dir        string // holds one private folder for each source
	Log        *slog.Logger

	// Command tells which program serves a connector; nil means
	// Executable serve-plugin NAME.
	Command func(connector string) (exe string, args []string, err error)

	// Pin tells the installed program of a connector and the SHA-256, in hex, that
	// it has to have whenever it is started; false for connectors without one,
	// which Command serves.
	Pin func(connector string) (path, sha256 string, ok bool)
	// Token returns the current access token of a source whose connector asks for
	// OAuth2, a new one if fresh. Nil means that there are none.
	Token func(ctx context.Context, src core.Source, fresh bool) (Token, error)

	StartTimeout time.Duration // from the start of the process to its handshake; 30 s if zero
	CallTimeout  time.Duration // each of Describe, Configure and Check; 60 s if zero
	// IdleTimeout is how long a stream may bring nothing; 15 min if zero.
	IdleTimeout   time.Duration
	SearchTimeout time.Duration // of one live search; 3 s if zero
	CensorTimeout time.Duration // of one question of what may be shown; 2 s if zero

	// IdleStop is how long a process that Use started runs on without being used;
	// 5 min if zero.
	IdleStop time.Duration
	Now      func() time.Time // for the pauses after failures; nil means time.Now
}

// Host starts connectors. Its methods may be called from several goroutines.
type Host struct {
	opts Options

	mu       sync.Mutex
	seats    map[string]*seat // by source
	closed   bool
	watching sync.WaitGroup

	sweep sync.Once // of what earlier hosts left
}

// NewHost fills in the defaults. A relative Executable is looked at from the
// working directory of now.
func NewHost(o Options) *Host {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if abs, err := filepath.Abs(o.Executable); err == nil && o.Executable != "" {
		o.Executable = abs
	}
	if abs, err := filepath.Abs(o.Dir); err == nil {
		o.Dir = abs
	}
	if o.Command == nil {
		exe := o.Executable
		o.Command = func(connector string) (string, []string, error) {
			return exe, []string{"serve-plugin", connector}, nil
		}
	}
	o.StartTimeout = cmp.Or(o.StartTimeout, 30*time.Second)
	o.CallTimeout = cmp.Or(o.CallTimeout, time.Minute)
	o.IdleTimeout = cmp.Or(o.IdleTimeout, 15*time.Minute)
	o.SearchTimeout = cmp.Or(o.SearchTimeout, 3*time.Second)
	o.CensorTimeout = cmp.Or(o.CensorTimeout, 2*time.Second)
	o.IdleStop = cmp.Or(o.IdleStop, 5*time.Minute)
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Host{opts: o, seats: map[string]*seat{}}
}

// Description is what a connector says of itself.
type Description struct {
	Name     string
	Version  string
	SDK      string // version of the SDK it was built with; may be empty
	Help     string
	Features []string        // of check, list, fetch, grants, search, tools, censor
	Schema   json.RawMessage // JSON Schema of its configuration, fields in the author's order
	Limits   []RateLimit
	Auth     AuthMethod
}

// Describe starts a connector only to ask what it is.
func (h *Host) Describe(ctx context.Context, connector string) (Description, error) {
	dir, err := os.MkdirTemp("", "footnote-")
	if err != nil {
		return Description{}, core.Errorf(core.KindDisk, "no temporary folder for connector %q: %w", connector, err)
	}
	defer os.RemoveAll(dir)
	c, err := h.start(ctx, core.Source{Connector: connector}, dir)
	if err != nil {
		return Description{}, err
	}
	defer c.Close()
	return c.about, nil
}

// Open starts the source's connector and gives it its configuration. The
// connection must be closed. Errors about the configuration are of kind config
// and name the field.
func (h *Host) Open(ctx context.Context, src core.Source) (*Connection, error) {
	dir := filepath.Join(h.opts.Dir, src.Name)
	if src.Name == "" || !filepath.IsLocal(src.Name) {
		return nil, core.Errorf(core.KindInvalid, "%q cannot be the name of a source", src.Name)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, core.Errorf(core.KindDisk, "the folder of source %q cannot be made: %w", src.Name, err)
	}
	c, err := h.start(ctx, src, dir)
	if err != nil {
		return nil, err
	}
	if err := c.configure(ctx, dir); err != nil {
		c.Close()
		return nil, err
	}
	return c, nil
}

// start brings a connector up to the point where it has described itself.
func (h *Host) start(ctx context.Context, src core.Source, dir string) (*Connection, error) {
	c := &Connection{host: h, src: src, log: h.opts.Log.With("source", src.Name, "connector", src.Connector)}
	p, err := h.launch(ctx, src.Connector, dir, c.log)
	if err != nil {
		return nil, err
	}
	c.process = p
	ctx, cancel := context.WithTimeout(ctx, h.opts.CallTimeout)
	defer cancel()
	reply, err := p.client.Describe(ctx, &wire.DescribeRequest{})
	if err != nil {
		err = c.explain(ctx, "describing itself", err)
		c.Close()
		return nil, err
	}
	if c.about, err = description(src.Connector, reply); err != nil {
		c.Close()
		return nil, err
	}
	return c, nil
}

func description(connector string, reply *wire.DescribeReply) (Description, error) {
	schema := json.RawMessage(reply.GetConfigSchema())
	if len(schema) == 0 {
		schema = json.RawMessage(`{"type":"object"}`)
	}
	var object map[string]json.RawMessage
	if err := json.Unmarshal(schema, &object); err != nil {
		return Description{}, core.Errorf(core.KindInvalid,
			"connector %q describes its configuration with something that is not a JSON Schema: report this to its author", connector)
	}
	out := Description{
		Name: cmp.Or(reply.GetName(), connector), Version: reply.GetVersion(), SDK: reply.GetSdkVersion(),
		Help: reply.GetHelp(), Features: reply.GetFeatures(), Schema: schema,
		Auth: authMethod(reply.GetAuth()),
	}
	for _, l := range reply.GetRateLimits() {
		out.Limits = append(out.Limits, RateLimit{Name: l.GetName(), PerSecond: l.GetPerSecond(), Burst: int(l.GetBurst())})
	}
	return out, nil
}
