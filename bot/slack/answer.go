package slack

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
// others may only call stop and forget.
type answer struct {
	app    *app
	req    request
	id     string // what its buttons carry
	log    *slog.Logger
	cancel context.CancelCauseFunc

	place  core.Place
	viewer core.Viewer
	made   core.Audience // for whom the answer is
	sign   *sign
	view   *view
	strict bool // the place wants only answers that cite
	cited  bool // this one does, so far

	mu      sync.Mutex
	turn    *bot.Running
	stopped bool // before the turn began
	deleted bool // the question was: nothing is shown any more
}

// errDeleted ends an answer whose question is gone.
var errDeleted = errors.New("the question was deleted")

// begin starts an answer. It returns at once.
func (a *app) begin(r request) *answer {
	if r.id == "" {
		r.id = a.opts.NewID()
	}
	n := &answer{app: a, req: r, id: r.id, log: a.log.With("event", r.from)}
	a.mu.Lock()
	base := a.base
	a.mu.Unlock()
	a.running.start(base, n)
	return n
}

// run asks the question and shows what becomes of it. Whatever happens, the asker
// sees an end, unless they deleted the question.
func (n *answer) run(ctx context.Context) {
	team := n.app.own().Team
	n.place = core.Place{ID: placeID(team, n.req.channel), Platform: platform, Kind: core.PlaceUnknown, Team: team}
	if n.req.root != "" {
		n.place.Thread = threadID(team, n.req.channel, n.req.root)
	}
	n.sign, n.view = newSign(n), newView(n)
	defer func() { n.sign.clear(ctx) }()
	defer func() {
		if fault := recover(); fault != nil {
			if !n.view.ended {
				n.save(ctx, !n.fail(ctx, core.FailedOf(core.Errorf(core.KindInternal, "panic"), n.id)))
			}
			panic(fault) // logged by whoever started us
		}
	}()
	out, err := n.put(ctx)
	switch {
	case n.isDeleted():
		n.save(ctx, false)
	case err != nil && ctx.Err() != nil && !n.aside(ctx):
		n.cut(ctx)
	case err != nil:
		n.refuse(ctx, err)
	case out.Canned != nil:
		n.canned(ctx, *out.Canned)
	default:
		n.follow(ctx, out.Running)
	}
}

// put finds out all that belongs to the question and asks it.
func (n *answer) put(ctx context.Context) (bot.Outcome, error) {
	a, r := n.app, &n.req
	settings, err := a.opts.Front.Settings(ctx, placeID(a.own().Team, r.channel))
	if err != nil {
		return bot.Outcome{}, err
	}
	if settings.Private && !r.direct {
		r.show = askerOnly
		n.view = newView(n)
	}
	n.strict = settings.OnlySourced && !r.private() && !r.direct
	n.save(ctx, true) // from here on a crash is mended
	facts, err := a.places.about(ctx, r.channel)
	if r.private() || err == nil && (!facts.shared || settings.External) {
		n.sign.show(ctx)
	}
	in := n.incoming(ctx)
	if n.isDeleted() {
		return bot.Outcome{}, errDeleted
	}
	if n.viewer, err = a.opts.Front.Viewer(ctx, in.Account); err != nil {
		return bot.Outcome{}, err
	}
	a.opts.Counter.Add("slack_questions_total", r.from)
	out, err := a.opts.Front.Ask(ctx, in)
	n.made = out.Audience
	return out, err
}

// errStale says that others can read the place than those for whom a message
// was made.
var errStale = errors.New("the place has other readers now")

// still is asked before each message of a shared place. The desk withdraws what
// was shown; this keeps back what had to wait for its turn meanwhile.
func (n *answer) still(ctx context.Context) error {
	now, err := n.app.opts.Front.Audience(ctx, n.place, n.viewer)
	if err != nil || bot.Wider(n.made, now) {
		return errStale
	}
	return nil
}

// incoming gathers the question with its place, its thread and its files. The
// look-ups run side by side.
func (n *answer) incoming(ctx context.Context) bot.Incoming {
	a, r := n.app, &n.req
	in := bot.Incoming{
		Account: r.who.Account, Zone: r.who.zone, Full: r.full, Parent: r.parent, History: r.history, Agent: r.agent,
		Context: r.said,
	}
	var unread []string
	text := r.text
	var work sync.WaitGroup
	work.Go(func() { n.place = n.where(ctx) })
	if r.root != "" && r.root != r.ts && r.said == nil {
		work.Go(func() { in.Context = a.context(ctx, r.channel, r.root, firstOf(r.ts, "9")) })
	}
	if len(r.files) > 0 {
		work.Go(func() { in.Files, unread = a.attachments(ctx, r.files) })
	}
	if r.raw != "" {
		work.Go(func() {
			known := a.name(ctx, []string{r.raw})
			if text == "" {
				text = readable(r.raw, a.own().User, known)
			}
			in.References = references(r.raw, a.own().User, known)
		})
	}
	work.Wait()
	in.Place, in.Text = n.place, text
	if len(unread) > 0 {
		n.view.note(r.who.say("I did not read %s.", strings.Join(unread, ", ")))
		in.Context = append(in.Context, core.Said{Text: "(not readable for the assistant: " + strings.Join(unread, ", ") + ")"})
	}
	if strings.TrimSpace(in.Text) == "" {
		in.Text = emptyQuestion(in)
	}
	r.text = in.Text
	return in
}

// emptyQuestion is what somebody means who calls the bot without a word.
func emptyQuestion(in bot.Incoming) string {
	switch {
	case len(in.Files) > 0:
		return "What is in the attached file?"
	case len(in.Context) > 0:
		return in.Context[len(in.Context)-1].Text
	}
	return "What can you help with?"
}

// where is the place of the reply: the channel, or the asker's own view of it.
func (n *answer) where(ctx context.Context) core.Place {
	a, r := n.app, n.req
	if !r.private() {
		return askedBy(a.place(ctx, r.channel, r.root), r.who.Account)
	}
	p := core.Place{
		ID: placeID(a.own().Team, r.channel), Platform: platform, Team: a.own().Team, Home: a.config.Home,
		Kind: core.PlaceEphemeral,
	}
	if r.root != "" {
		p.Thread = threadID(a.own().Team, r.channel, r.root)
	}
	if facts, err := a.places.about(ctx, r.channel); err == nil {
		p.Name = facts.name
	}
	return p
}

// refuse shows why there is no answer. A limit and a place where nothing may be
// said are told to the asker alone.
func (n *answer) refuse(ctx context.Context, err error) {
	n.log.Info("a question was not taken", "request_id", n.id, "error", err)
	var wait *bot.WaitError
	text := ""
	switch {
	case errors.Is(err, bot.ErrNotListed):
		text = n.req.who.say("Who may ask me here is limited, and you are not among them. Ask who runs Footnote.")
		if !n.req.called() {
			text = "" // they did not ask us
		}
	case errors.As(err, &wait):
		text = waitText(wait, n.req.who)
	case core.KindOf(err) == core.KindDenied, core.KindOf(err) == core.KindNotFound:
		text = core.FailedOf(err, n.id).Message
	case n.aside(ctx): // nothing of ours is for everybody there
		text = core.FailedOf(err, n.id).Message
	default:
		n.save(ctx, !n.fail(ctx, core.FailedOf(err, n.id)))
		return
	}
	n.app.opts.Counter.Add("slack_refused_total", string(core.KindOf(err)))
	if text != "" {
		n.whisper(ctx, text)
	}
	n.save(ctx, false)
}

// aside tells that people from outside may read the place, and that the owner did
// not want answers there: not even a failure is told to them.
func (n *answer) aside(ctx context.Context) bool {
	ctx, cancel := lasting(ctx)
	defer cancel()
	return !n.req.private() && n.app.outsiders(ctx, n.req.channel)
}

// outsiders tells that nothing may be said to everybody in the channel. In doubt
// it may: what is said then names no document.
func (a *app) outsiders(ctx context.Context, channel string) bool {
	facts, err := a.places.about(ctx, channel)
	if err != nil || !facts.shared {
		return false
	}
	settings, err := a.opts.Front.Settings(ctx, placeID(a.own().Team, channel))
	return err != nil || !settings.External
}

func waitText(w *bot.WaitError, who person) string {
	wait := max(w.Wait.Round(time.Second), time.Second)
	if w.Place {
		return who.say("There are many questions here at the moment. The next one can be asked in %s.", wait)
	}
	return who.say("You asked many questions in a short time. You can ask the next one in %s.", wait)
}

// fail shows a failure in a short sentence with a request id, and tells whether
// somebody sees it.
func (n *answer) fail(ctx context.Context, f core.Failed) bool {
	ctx, cancel := lasting(ctx)
	defer cancel()
	n.app.opts.Counter.Add("slack_failed_answers_total", string(f.Kind))
	return n.view.end(ctx, ending{failed: &f})
}

// whisper tells the asker something that is for nobody else.
func (n *answer) whisper(ctx context.Context, text string) {
	ctx, cancel := lasting(ctx)
	defer cancel()
	n.app.tell(ctx, n.req, payload{text: escape(text)})
}

// canned shows what the owner wrote, with a button for a full answer.
func (n *answer) canned(ctx context.Context, c bot.Canned) {
	ctx, cancel := lasting(ctx)
	defer cancel()
	n.save(ctx, !n.view.end(ctx, ending{answer: core.Answer{Text: c.Answer}, canned: true}))
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

// lasting is a context for last words: they are said also when everything ends,
// but take no longer than closeTime from then on.
func lasting(ctx context.Context) (context.Context, context.CancelFunc) {
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Minute)
	stop := context.AfterFunc(ctx, func() {
		if sleep(last, closeTime) == nil {
			cancel()
		}
	})
	return last, func() {
		stop()
		cancel()
	}
}
