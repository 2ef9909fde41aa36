package slack

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/slack-go/slack"

	"github.com/footnote-bot/footnote/core"
)

// Check is one finding of the doctor.
type Check struct {
	Name   string `json:"name"`
	OK     bool   `json:"ok"`
	Detail string `json:"detail"`
	Fix    string `json:"fix,omitempty"`
}

// TokenKind says what is wrong with a token by its looks, before Slack is asked;
// nil if nothing is.
func checkBotToken(token string) error {
	switch {
	case strings.HasPrefix(token, "xoxe.") || strings.HasPrefix(token, "xoxe-"):
		return core.Errorf(core.KindConfig, "this token expires after 12 hours: token rotation is on for the app. It cannot be switched off again, so make a new app from the manifest and use its token")
	case strings.HasPrefix(token, "xoxp-"):
		return core.Errorf(core.KindConfig, "this is a person's token (xoxp-); the bot's own starts with xoxb- and stands under OAuth & Permissions")
	case strings.HasPrefix(token, "xapp-"):
		return core.Errorf(core.KindConfig, "this is the app-level token (xapp-); it belongs to app_token")
	case !strings.HasPrefix(token, "xoxb-"):
		return core.Errorf(core.KindConfig, "a bot's token starts with xoxb-; it stands under OAuth & Permissions of the app")
	}
	return nil
}

func checkAppToken(token string) error {
	switch {
	case strings.HasPrefix(token, "xoxb-"):
		return core.Errorf(core.KindConfig, "this is the bot's token (xoxb-); it belongs to bot_token")
	case !strings.HasPrefix(token, "xapp-"):
		return core.Errorf(core.KindConfig, "an app-level token starts with xapp-; make one with the scope connections:write under Basic Information of the app")
	}
	return nil
}

// Checks asks Slack about each workspace of the options, without serving it:
// tokens, scopes, the socket, the clock, the channels. Only Workspaces and Log
// are used, and Front where there is one.
func Checks(ctx context.Context, o Options) []Check {
	o = o.withDefaults()
	var out []Check
	for _, w := range o.Workspaces {
		out = append(out, checkWorkspace(ctx, o, w)...)
	}
	return out
}

func checkWorkspace(ctx context.Context, o Options, w Workspace) []Check {
	name := func(s string) string { return "slack " + w.Name + ": " + s }
	if err := checkBotToken(w.BotToken); err != nil {
		return []Check{{Name: name("bot token"), Detail: err.Error(), Fix: "Put the right token into slack.bot_token."}}
	}
	a, err := newApp(o, w)
	if err != nil {
		return []Check{{Name: name("configuration"), Detail: err.Error(), Fix: "Correct footnote.yaml."}}
	}
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	me, err := a.api.authTest(ctx)
	if err != nil {
		return []Check{refused(name("bot token"), err)}
	}
	a.identity = me
	return append(a.findings(ctx, me), a.checkSocket(ctx, name("socket")))
}

// Doctor is Checks for the workspaces that this bot serves: it looks at the
// connections that are there and opens none, which would get events of theirs.
func (b *Bot) Doctor(ctx context.Context) []Check {
	var out []Check
	for _, a := range b.apps {
		out = append(out, a.checkServed(ctx)...)
	}
	return out
}

func (a *app) checkServed(ctx context.Context) []Check {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	name := "slack " + a.config.Name + ": "
	me, err := a.api.authTest(ctx)
	if err != nil {
		return []Check{refused(name+"bot token", err)}
	}
	out := a.findings(ctx, me)
	switch {
	case a.socket == nil:
		out = append(out, Check{Name: name + "socket", OK: true, Detail: "events come over HTTP"})
	case a.socket.State().Sessions == 0:
		out = append(out, Check{Name: name + "socket", Detail: "not connected yet", Fix: "Ask again in a moment; then see the log for the reason."})
	}
	return out
}

func refused(name string, err error) Check {
	return Check{Name: name, Detail: sentence(err).Error(), Fix: "Install the app again at api.slack.com/apps and put its bot token into slack.bot_token."}
}

// findings are what is known of the workspace once Slack took the token.
func (a *app) findings(ctx context.Context, me who) []Check {
	out := []Check{{Name: "bot token", OK: true, Detail: "belongs to " + me.TeamName + " (" + me.Team + ")"}}
	out = append(out, a.checks(ctx)...)
	out = append(out, checkClock(me.Clock, time.Now()))
	for i := range out {
		out[i].Name = "slack " + a.config.Name + ": " + out[i].Name
	}
	return out
}

// checkClock compares the clocks: Slack signs its requests with the time.
func checkClock(theirs, ours time.Time) Check {
	skew := ours.Sub(theirs).Abs().Round(time.Second)
	switch {
	case theirs.IsZero():
		return Check{Name: "clock", OK: true, Detail: "Slack did not tell the time"}
	case skew > time.Minute:
		return Check{Name: "clock", Detail: "this machine's clock is " + skew.String() + " off", Fix: "Switch time synchronisation on; requests of Slack older than five minutes are refused."}
	}
	return Check{Name: "clock", OK: true, Detail: "agrees with Slack's"}
}

// checks are those that need no connection of their own.
func (a *app) checks(ctx context.Context) []Check {
	out := a.checkScopes()
	out = append(out, a.checkChannels(ctx))
	if a.socket != nil {
		if s := a.socket.State(); s.Sessions > 0 {
			out = append(out, socketCheck(s))
		}
	}
	return out
}

func (a *app) checkScopes() []Check {
	granted := a.own().Scopes
	if len(granted) == 0 {
		return []Check{{Name: "scopes", OK: true, Detail: "Slack did not list them"}}
	}
	lacks := Variant{MentionOnly: a.config.MentionOnly}.Missing(granted)
	if len(lacks) == 0 {
		return []Check{{Name: "scopes", OK: true, Detail: fmt.Sprintf("all %d are granted", len(Variant{}.scopes()))}}
	}
	var out []Check
	for _, l := range lacks {
		out = append(out, Check{
			Name: "scopes for " + l.Feature, OK: !l.Required, Detail: "missing: " + strings.Join(l.Scopes, ", "),
			Fix: "Add them under OAuth & Permissions of the app and install it again.",
		})
	}
	return out
}

// checkChannels counts the channels that the bot is in, and those that outsiders
// read.
func (a *app) checkChannels(ctx context.Context) Check {
	list, err := a.api.channels(ctx)
	if err != nil {
		return Check{Name: "channels", Detail: sentence(err).Error(), Fix: "See the scopes channels:read and groups:read."}
	}
	shared := 0
	for i := range list {
		if aboutOf(&list[i], a.own()).shared {
			shared++
		}
	}
	detail := fmt.Sprintf("the bot is in %d, %d of them shared with outsiders", len(list), shared)
	if shared > 0 {
		detail += " (there it answers only where places says external: true)"
	}
	return Check{Name: "channels", OK: true, Detail: detail}
}

// checkSocket opens a connection, waits for hello and closes it again. For events
// over HTTP there is nothing to open.
func (a *app) checkSocket(ctx context.Context, name string) Check {
	if a.socket == nil {
		return Check{Name: name, OK: a.config.SigningSecret != "", Detail: "events come over HTTP", Fix: "Set signing_secret, or app_token for Socket Mode."}
	}
	if err := checkAppToken(a.config.AppToken); err != nil {
		return Check{Name: name, Detail: err.Error(), Fix: "Put the right token into slack.app_token."}
	}
	ctx, cancel := context.WithTimeout(ctx, attemptTime)
	defer cancel()
	s := a.socket
	s.take = func(envelope) (any, bool) { return nil, false } // not ours: Slack sends it again
	ended := make(chan error, 1)
	go func() { ended <- s.session(ctx) }()
	for {
		select {
		case err := <-ended:
			return Check{Name: name, Detail: "no connection: " + firstOf(errorText(sentence(err)), "Slack closed it"), Fix: "Make an app-level token with the scope connections:write, and switch Socket Mode on for the app."}
		case <-time.After(20 * time.Millisecond):
		}
		if st := s.State(); st.Connected {
			cancel()
			<-ended
			c := socketCheck(st)
			c.Name = name
			return c
		}
	}
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func socketCheck(s SocketState) Check {
	switch {
	case !s.Connected:
		return Check{Name: "socket", Detail: "not connected", Fix: "See the log for the reason."}
	case s.Sockets > 1:
		return Check{
			Name: "socket", OK: true, Detail: fmt.Sprintf("connected, beside %d other connections with the same app token", s.Sockets-1),
			Fix: "If that is not a running Footnote of this data folder, stop it: each event goes to one of them only.",
		}
	}
	return Check{Name: "socket", OK: true, Detail: "connected"}
}

// CheckTokens holds two tokens against Slack before they are written anywhere.
// The error names the token and the way out; lacks are features that will not
// work with the scopes that were granted.
func CheckTokens(ctx context.Context, w Workspace, v Variant) (team string, lacks []Lack, err error) {
	if err := checkBotToken(w.BotToken); err != nil {
		return "", nil, err
	}
	if w.AppToken != "" {
		if err := checkAppToken(w.AppToken); err != nil {
			return "", nil, err
		}
	}
	a, err := newAPI(w, nothing{}, slog.New(slog.DiscardHandler))
	if err != nil {
		return "", nil, err
	}
	me, err := a.authTest(ctx)
	if err != nil {
		return "", nil, sentence(err)
	}
	if w.AppToken != "" {
		if _, err := a.openSocket(ctx); err != nil {
			return "", nil, core.Wrap(core.KindAuth, err, "Slack opens no socket with this app-level token; it needs the scope connections:write, and Socket Mode has to be on for the app.")
		}
	}
	return me.TeamName, v.Missing(me.Scopes), nil
}

// NewApp is an app that was just made.
type NewApp struct {
	ID            string
	Install       string // the page on which it is installed
	SigningSecret string
}

// CreateApp makes the app with a configuration token (xoxe.xoxp-…), which lives
// for 12 hours and stands at api.slack.com/apps. The manifest is validated first.
func CreateApp(ctx context.Context, apiURL, configToken string, v Variant) (NewApp, error) {
	a, err := newAPI(Workspace{Name: "new", APIURL: apiURL}, nothing{}, slog.New(slog.DiscardHandler))
	if err != nil {
		return NewApp{}, err
	}
	if _, err := a.manifest(ctx, "apps.manifest.validate", configToken, v); err != nil {
		return NewApp{}, err
	}
	r, err := a.manifest(ctx, "apps.manifest.create", configToken, v)
	if err != nil {
		return NewApp{}, err
	}
	out := NewApp{ID: r.AppId, Install: r.OAuthAuthorizeUrl}
	if r.Credentials != nil {
		out.SigningSecret = r.Credentials.SigningSecret
	}
	return out, nil
}

// manifestErrors are what Slack does not like about the manifest.
func manifestErrors(list []slack.ManifestValidationError) string {
	var out []string
	for _, e := range list {
		out = append(out, e.Pointer+" "+e.Message)
	}
	return strings.Join(out, "; ")
}
