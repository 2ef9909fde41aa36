package github

import (
	"context"
	"crypto/rsa"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/google/go-github/v80/github"

	sdk "github.com/footnote-bot/footnote/plugin-sdk"
)

// authority hands out the token for a request.
type authority interface {
	token(context.Context) (string, error)
	// refused is told that the server did not accept a token. It returns true if
	// another one may be had.
	refused(token string) bool
}

// authority returns nil where there are no credentials.
func (s *Source) authority(bare http.RoundTripper) (authority, error) {
	switch {
	case s.Token != "":
		return fixed(s.Token), nil
	case s.AppID == 0:
		return nil, nil
	}
	key, err := jwt.ParseRSAPrivateKeyFromPEM([]byte(s.PrivateKey))
	if err != nil {
		return nil, sdk.Config("private_key", errors.New("it is not an RSA key in PEM form, as GitHub hands it out"))
	}
	a := &app{id: s.AppID, installation: s.InstallationID, key: key, owner: s.entries[0].owner, name: s.entries[0].name, now: time.Now}
	a.apps = installationCallsOf(clientOf(assertion{next: bare, app: a}, s.places.api))
	return a, nil
}

// fixed is a token of the configuration.
type fixed sdk.Secret

func (f fixed) token(context.Context) (string, error) { return string(f), nil }
func (fixed) refused(string) bool                     { return false }

// app exchanges a GitHub App's key for tokens that hold for an hour.
type app struct {
	id, installation int64
	owner, name      string
	key              *rsa.PrivateKey
	apps             installationCalls // signed with the key
	now              func() time.Time

	mu      sync.Mutex
	skew    time.Duration // by how much the server's clock is ahead of ours
	current string
	until   time.Time // by our clock
}

// early is how long before its end a token is replaced.
const early = 5 * time.Minute

func (a *app) token(ctx context.Context) (string, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.current != "" && a.now().Before(a.until) {
		return a.current, nil
	}
	got, err := a.exchange(ctx)
	if err != nil {
		return "", explain("exchanging the App's key for a token", err)
	}
	if got.GetToken() == "" {
		return "", errors.New("GitHub answered the App without a token")
	}
	left := got.GetExpiresAt().Sub(a.now().Add(a.skew))
	a.current, a.until = got.GetToken(), a.now().Add(left-early)
	return a.current, nil
}

// exchange tries once more by the server's clock where ours is wrong: GitHub
// refuses an assertion of the future or the past.
func (a *app) exchange(ctx context.Context) (*github.InstallationToken, error) {
	got, resp, err := a.installationToken(ctx)
	if resp == nil || resp.StatusCode != http.StatusUnauthorized {
		return got, err
	}
	skew := serverTime(resp.Response).Sub(a.now())
	if (skew - a.skew).Abs() < 30*time.Second {
		return got, err
	}
	a.skew = skew
	got, _, err = a.installationToken(ctx)
	return got, err
}

func (a *app) installationToken(ctx context.Context) (*github.InstallationToken, *github.Response, error) {
	if a.installation == 0 {
		found, resp, err := a.find(ctx)
		if err != nil {
			return nil, resp, err
		}
		a.installation = found.GetID()
	}
	return a.apps.CreateInstallationToken(ctx, a.installation, nil)
}

func (a *app) find(ctx context.Context) (*github.Installation, *github.Response, error) {
	if wild(a.name) {
		// A user's installation answers to this name as an organisation's does.
		found, resp, err := a.apps.FindOrganizationInstallation(ctx, a.owner)
		if resp != nil && resp.StatusCode == http.StatusNotFound {
			found, resp, err = a.apps.FindUserInstallation(ctx, a.owner)
		}
		return found, resp, err
	}
	return a.apps.FindRepositoryInstallation(ctx, a.owner, a.name)
}

func (a *app) refused(token string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.current == token {
		a.current = ""
	}
	return true
}

// assertion signs a request with the App's key. It runs while the App's lock is
// held.
type assertion struct {
	next http.RoundTripper
	app  *app
}

func (t assertion) RoundTrip(req *http.Request) (*http.Response, error) {
	now := t.app.now().Add(t.app.skew)
	claims := jwt.RegisteredClaims{
		Issuer: strconv.FormatInt(t.app.id, 10), IssuedAt: jwt.NewNumericDate(now.Add(-time.Minute)), ExpiresAt: jwt.NewNumericDate(now.Add(8 * time.Minute)),
	}
	text, err := jwt.NewWithClaims(jwt.SigningMethodRS256, claims).SignedString(t.app.key)
	if err != nil {
		return nil, fmt.Errorf("the App's key does not sign: %w", err)
	}
	out := req.Clone(req.Context())
	out.Header.Set("Authorization", "Bearer "+text)
	out.Header.Set("Idempotency-Key", "token") // a second token does no harm
	return t.next.RoundTrip(out)
}
