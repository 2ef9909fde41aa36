package github

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/google/go-github/v80/github"

	sdk "github.com/footnote-bot/footnote/plugin-sdk"
	"github.com/footnote-bot/footnote/plugins/internal/hush"
)

// explain says what was being done, and gives an error of GitHub its kind.
func explain(doing string, err error) error {
	err = hush.URLs(err)
	var answer *github.ErrorResponse
	var graph graphErrors
	switch {
	case err == nil, errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	case sdk.KindOf(err) != "":
		return fmt.Errorf("%s: %w", doing, err)
	case errors.As(err, &graph):
		return graph.explain(doing)
	case errors.As(err, &answer) && answer.Response != nil:
		return explainAnswer(doing, answer)
	}
	return fmt.Errorf("%s: %w", doing, err)
}

func explainAnswer(doing string, answer *github.ErrorResponse) error {
	resp := answer.Response
	text := fmt.Sprintf("%s: GitHub answered %d %s", doing, resp.StatusCode, hush.Message(answer.Message, 300))
	switch resp.StatusCode {
	case http.StatusUnauthorized:
		text += ": the token was revoked, has expired or is wrong; make a new one"
	case http.StatusForbidden, http.StatusNotFound:
		text += wants(resp.Header)
	case http.StatusUnavailableForLegalReasons:
		return sdk.Denied(errors.New(text))
	}
	return sdk.FromStatus(resp.StatusCode, sdk.RetryAfter(resp), errors.New(strings.TrimSpace(text)))
}

// wants names the right that a refused request would have needed, where GitHub
// tells: scopes of classic tokens, permissions of fine-grained ones and Apps.
func wants(h http.Header) string {
	var parts []string
	if scopes, has := missingScopes(h); len(scopes) > 0 {
		parts = append(parts, fmt.Sprintf("the token has the scopes %q and needs one of %s", has, strings.Join(scopes, ", ")))
	}
	if need := h.Get("X-Accepted-Github-Permissions"); need != "" {
		parts = append(parts, "the token or App needs the permission "+hush.Message(need, 200))
	}
	if sso := h.Get("X-Github-Sso"); sso != "" {
		parts = append(parts, "the token has to be authorized for the organisation's single sign-on")
	}
	if len(parts) == 0 {
		return ""
	}
	return ": " + hush.Message(strings.Join(parts, "; "), 1000)
}

// missingScopes are the scopes of which one would do and none is there.
func missingScopes(h http.Header) (missing []string, has string) {
	if _, classic := h["X-Oauth-Scopes"]; !classic {
		return nil, ""
	}
	has = h.Get("X-Oauth-Scopes")
	held := splitList(has)
	for _, scope := range splitList(h.Get("X-Accepted-Oauth-Scopes")) {
		for _, have := range held {
			if have == scope {
				return nil, has
			}
		}
		missing = append(missing, scope)
	}
	return missing, has
}

func splitList(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' })
}

func (e graphErrors) explain(doing string) error {
	err := fmt.Errorf("%s: %w", doing, e)
	switch {
	case e[0].Type == "RATE_LIMITED":
		return sdk.Busy(unsaid, err)
	case denied(e):
		return sdk.Denied(err)
	case e.only("NOT_FOUND"):
		return sdk.Gone(err)
	}
	return err
}

// denied tells that rights are missing.
func denied(e graphErrors) bool {
	return e[0].Type == "FORBIDDEN" || e[0].Type == "INSUFFICIENT_SCOPES"
}

// passing tells that trying again later may help, so that nothing is to be
// concluded from the failure.
func passing(err error) bool {
	kind := sdk.KindOf(err)
	return kind == "" || kind == "busy" || kind == "auth"
}
