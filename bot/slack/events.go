package slack

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strconv"

	"github.com/slack-go/slack"
)

// largestBody is the most that Slack may send in one request, in bytes.
const largestBody = 1 << 20

// Handler takes events, commands and buttons over HTTP for all workspaces that
// have a signing secret. Requests whose signature is wrong, or older than five
// minutes, are refused with 401; what cannot be taken now, with 503, upon which
// Slack sends it again.
func (b *Bot) Handler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost {
			w.Header().Set("Allow", http.MethodPost)
			http.Error(w, "Slack posts its events here", http.StatusMethodNotAllowed)
			return
		}
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, largestBody))
		if err != nil {
			var large *http.MaxBytesError
			if errors.As(err, &large) {
				http.Error(w, "the request is too large", http.StatusRequestEntityTooLarge)
			} else {
				http.Error(w, "the request cannot be read", http.StatusBadRequest)
			}
			return
		}
		app := b.signedFor(r.Header, body)
		if app == nil {
			http.Error(w, "the signature is wrong or too old", http.StatusUnauthorized)
			return
		}
		app.serve(r.Context(), w, r.Header, body)
	})
}

// signedFor finds the workspace whose secret the request was signed with.
func (b *Bot) signedFor(h http.Header, body []byte) *app {
	for _, a := range b.apps {
		if a.config.SigningSecret == "" {
			continue
		}
		v, err := slack.NewSecretsVerifier(h, a.config.SigningSecret)
		if err != nil {
			continue
		}
		v.Write(body) //nolint:errcheck // a hash never fails
		if v.Ensure() == nil {
			return a
		}
	}
	return nil
}

// serve answers one request that was signed for the workspace.
func (a *app) serve(ctx context.Context, w http.ResponseWriter, h http.Header, body []byte) {
	e, err := asEnvelope(h, body)
	if err != nil {
		http.Error(w, "the request cannot be read", http.StatusBadRequest)
		return
	}
	var check struct{ Type, Challenge string }
	if e.kind == "events_api" && json.Unmarshal(e.payload, &check) == nil && check.Type == "url_verification" {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		io.WriteString(w, check.Challenge) //nolint:errcheck // the sender is gone
		return
	}
	reply, ok := any(nil), false
	if a.own().Team != "" { // else nobody handles events yet
		reply, ok = a.take(e)
	}
	if !ok {
		http.Error(w, "too much to do at the moment", http.StatusServiceUnavailable)
		return
	}
	if n, is := reply.(noted); is {
		if n.wait(ctx) != nil {
			return // Slack is gone, and sends it again
		}
		reply = nil
	}
	if reply == nil {
		w.WriteHeader(http.StatusOK)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(reply) //nolint:errcheck // the sender is gone
}

// asEnvelope reads a request as what a socket would have brought.
func asEnvelope(h http.Header, body []byte) (envelope, error) {
	retry, _ := strconv.Atoi(h.Get("X-Slack-Retry-Num")) //nolint:errcheck // 0 where there is none
	kind, _, err := mime.ParseMediaType(h.Get("Content-Type"))
	if err != nil {
		return envelope{}, err
	}
	if kind == "application/json" {
		return envelope{kind: "events_api", payload: body, retry: retry}, nil
	}
	form, err := url.ParseQuery(string(body))
	if err != nil {
		return envelope{}, err
	}
	if p := form.Get("payload"); p != "" {
		return envelope{kind: "interactive", payload: json.RawMessage(p), retry: retry}, nil
	}
	flat := map[string]string{}
	for k := range form {
		flat[k] = form.Get(k)
	}
	raw, err := json.Marshal(flat)
	return envelope{kind: "slash_commands", payload: raw, retry: retry}, err
}
