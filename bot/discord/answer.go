package discord

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/footnote-bot/footnote/bot"
	"github.com/footnote-bot/footnote/core"
)

// answer is one reply from its question to its last word. One goroutine owns it;
// others may only read about, and call stop, forget, in and placeID.
type answer struct {
	app   *app
	about request // as it came
	req   request // as it is answered
	id    string  // what its buttons carry
	log   *slog.Logger

	out   *live
	body  strings.Builder
	notes []string
	stage string
	began time.Time
	typed time.Time

	strict bool // the place wants only answers that cite
	cited  bool // this one does, so far

	noted bool // the ledger knows that it is being written

	viewer core.Viewer
	made   core.Audience // whom it is made for

	mu      sync.Mutex
	place   core.Place
	turn    *bot.Running
	stopped bool // before the turn began
	deleted bool // the question was: nothing is shown any more
}

var (
	// errDeleted ends an answer whose question is gone.
	errDeleted = errors.New("the question was deleted")
	// errStale says that others can read the place than those for whom a message
	// was made.
	errStale = errors.New("the place has other readers now")
	// errRemoved ends an answer to somebody who may not read the place.
	errRemoved = core.Errorf(core.KindDenied, "You cannot read this channel any more, so I do not answer in it.")
)

// begin starts an answer. It returns at once.
func (a *app) begin(r request) *answer {
	n := &answer{app: a, about: r, req: r, log: a.log.With("event", r.from), began: time.Now()}
	if r.reply != nil && !r.reply.begun {
		n.id, r.reply.begun = r.reply.id, true
	}
	n.noted = n.id != ""
	n.id = firstOf(n.id, a.opts.NewID())
	n.out = newLive(n, a.posterFor(n))
	a.mu.Lock()
	base := a.base
	a.mu.Unlock()
	a.running.start(base, n)
	return n
}

// posterFor is where the answer goes.
func (a *app) posterFor(n *answer) poster {
	channel := &channelPoster{a: a, req: &n.req, id: n.id}
	if n.req.reply != nil {
		return &tokenPoster{reply: n.req.reply, later: channel, req: &n.req}
	}
	return channel
}

// run asks the question and shows what becomes of it. Whatever happens, the asker
// sees an end, unless they deleted the question or may not read the place.
func (n *answer) run(ctx context.Context) {
	said := false
	defer func() {
		if fault := recover(); fault != nil {
			if !said {
				n.fail(ctx, core.FailedOf(core.Errorf(core.KindInternal, "panic"), n.id))
			}
			panic(fault) // logged by whoever started us
		}
	}()
	out, err := n.put(ctx)
	said = true
	switch {
	case n.isDeleted():
	case err != nil:
		n.refuse(ctx, err)
	case out.Canned != nil:
		n.end(ctx, ending{answer: core.Answer{Text: out.Canned.Answer}, canned: true})
		n.noted = true
	default:
		n.follow(ctx, out.Running)
		return // it has noted its end
	}
	if n.noted {
		n.save(ctx, false)
	}
}

// put finds out all that belongs to the question and asks it.
func (n *answer) put(ctx context.Context) (bot.Outcome, error) {
	a, r := n.app, &n.req
	if err := n.admitted(ctx); err != nil {
		return bot.Outcome{}, err
	}
	n.save(ctx, true) // a crash leaves nobody without a word
	n.noted = true
	n.typing(ctx)
	reads := true
	if r.guild != "" && !r.who.machine {
		var err error
		if reads, err = a.facts.reads(ctx, r.guild, r.channel, r.who.ID); err == nil && !reads {
			return bot.Outcome{}, errRemoved
		}
	}
	place := n.where(ctx)
	n.mu.Lock()
	n.place = place
	n.mu.Unlock()
	n.threadUp(ctx, place)
	in := n.incoming(ctx, place, reads)
	if n.isDeleted() {
		return bot.Outcome{}, errDeleted
	}
	n.hintAtLink(ctx)
	n.log.Debug("a question is put", "after_ms", time.Since(n.began).Milliseconds())
	a.opts.Counter.Add("discord_questions_total", r.from)
	var err error
	if n.viewer, err = a.opts.Front.Viewer(ctx, in.Account); err != nil {
		return bot.Outcome{}, err
	}
	out, err := a.opts.Front.Ask(ctx, in)
	n.made = out.Audience
	return out, err
}

// still is asked before each message that others than the asker can read. The desk
// withdraws what was shown; this keeps back what had to wait for its turn
// meanwhile.
func (n *answer) still(ctx context.Context) error {
	if n.req.private() || n.req.direct() || n.made.Class == "" {
		return nil
	}
	now, err := n.app.opts.Front.Audience(ctx, n.place, n.viewer)
	if err != nil || bot.Wider(n.made, now) {
		return errStale
	}
	return nil
}

// admitted tells whether anything may be answered there at all: the owner bound
// the server and did not switch the bot off in the channel.
func (n *answer) admitted(ctx context.Context) error {
	a, r := n.app, n.req
	if r.direct() {
		return nil
	}
	ok, err := a.isBound(ctx, r.guild)
	switch {
	case err != nil:
		return err
	case !ok:
		return core.Errorf(core.KindDenied, "I am not set up for this server.")
	case r.private():
		return nil
	}
	settings, err := a.opts.Front.Settings(ctx, placeID(r.guild, a.parentOf(ctx, r.guild, r.channel)))
	switch {
	case err != nil:
		return err
	case settings.Answers() == bot.ModeOff:
		return core.Errorf(core.KindDenied, "I am switched off in this channel.")
	case settings.Private:
		return core.Errorf(core.KindDenied, "Answers in this channel are for who asks alone: use /ask.")
	}
	n.strict = settings.OnlySourced
	return nil
}

// hintAtLink tells who writes directly and is nobody to us, once a day, why the
// answer may hold less than they expect.
func (n *answer) hintAtLink(ctx context.Context) {
	a, r := n.app, n.req
	if !r.direct() || r.who.machine {
		return
	}
	v, err := a.opts.Front.Viewer(ctx, r.who.Account)
	if err != nil || v.Email != "" {
		return
	}
	key := placeID("", "unlinked") + "/" + r.who.ID + "/" + time.Now().Format(time.DateOnly)
	if first, err := a.opts.Front.First(ctx, key); err == nil && first {
		n.note("I do not know who you are, so this is from what everybody may know. /footnote link in a server of ours changes that.")
	}
}

// where is the place of the reply: the channel, or the asker's own view of it.
func (n *answer) where(ctx context.Context) core.Place {
	r := n.req
	p := n.app.place(ctx, r.guild, r.channel)
	if p.Thread == "" && r.root != "" {
		p.Thread = p.ID + "/" + r.root
	}
	if r.private() && !r.direct() {
		return ephemeral(p)
	}
	return askedBy(p, r.who.Account)
}

// threadUp starts a thread for an answer in a channel, where the owner wants that.
// Where Discord does not, the answer is a reply.
func (n *answer) threadUp(ctx context.Context, place core.Place) {
	a, r := n.app, &n.req
	if !a.config.Threads || !r.thread || r.private() || r.direct() || r.asked == "" || r.reply != nil {
		return
	}
	c, err := a.facts.channel(ctx, r.channel)
	if err != nil || c.Kind != channelText && c.Kind != channelNews {
		return
	}
	name := a.readable(ctx, r.guild, r.raw, r.names)
	name = cut(firstOf(strings.Join(strings.Fields(name), " "), "Question"), 90)
	id, err := a.api.startThread(ctx, r.channel, r.asked, name)
	if err != nil {
		n.log.Info("no thread could be started; the answer is a reply", "place", place.ID, "error", err)
		return
	}
	a.starts.put(id, true, time.Now(), a.starts.now())
	r.channel = id
}

// incoming gathers the question with its conversation and its files. The look-ups
// run side by side.
func (n *answer) incoming(ctx context.Context, place core.Place, reads bool) bot.Incoming {
	a, r := n.app, &n.req
	in := bot.Incoming{
		Account: r.who.Account, Place: place, Full: r.full, Parent: r.parent, History: r.history, Agent: r.agent,
		Collections: r.collections, Context: r.said,
	}
	var unread []string
	var work sync.WaitGroup
	if r.said == nil && reads {
		was := n.about
		work.Go(func() {
			in.Context = a.context(ctx, was, place.Thread, !r.direct() && strings.HasSuffix(place.Thread, "/"+was.channel))
		})
	}
	if len(r.files) > 0 {
		work.Go(func() { in.Files, unread = a.attachments(ctx, r.files) })
	}
	text := r.text
	if text == "" {
		work.Go(func() { text = a.readable(ctx, r.guild, r.raw, r.names) })
	}
	if r.raw != "" {
		work.Go(func() { in.References = a.references(ctx, r.guild, r.raw, r.names) })
	}
	work.Wait()
	r.text = text
	if len(unread) > 0 {
		n.note("I did not read " + strings.Join(unread, ", ") + ".")
		in.Context = append(in.Context, core.Said{Text: "(not readable for the assistant: " + strings.Join(unread, ", ") + ")"})
	}
	if strings.TrimSpace(r.text) == "" {
		r.text = emptyQuestion(in)
	}
	in.Text = r.text
	return in
}

// stop ends the turn; what it had said stays.
func (n *answer) stop() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.stopped = true
	if n.turn != nil {
		n.app.opts.Desk.Stop(n.turn.ID) //nolint:errcheck // it has ended by itself
	}
}

// forget ends the turn and takes back what was shown of it: the question was
// deleted.
func (n *answer) forget() {
	n.mu.Lock()
	n.deleted = true
	n.mu.Unlock()
	n.stop()
}

func (n *answer) isDeleted() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.deleted
}

// took notes the turn, and stops it if somebody wanted that meanwhile.
func (n *answer) took(r *bot.Running) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.turn = r
	if n.stopped {
		n.app.opts.Desk.Stop(r.ID) //nolint:errcheck // it has ended by itself
	}
}

// placeID is where the reply stands; "" while that is not known.
func (n *answer) placeID() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.place.ID
}

// in tells whether the answer stands in a channel, or below it.
func (n *answer) in(channel string) bool {
	if channel == "" {
		return false
	}
	return n.about.channel == channel || n.about.root == channel || n.placeID() == placeID(n.about.guild, channel)
}

// requestID is what a person can quote to who runs the install.
func (n *answer) requestID() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.turn != nil {
		return n.turn.ID
	}
	return n.id
}
