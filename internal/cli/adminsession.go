package cli

import (
	"cmp"
	"context"
	"crypto/rand"
	"slices"
	"strings"
	"time"

	"github.com/footnote-bot/footnote/bot/adminpages"
	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/store"
)

const (
	// adminLinkGood is how long a link opens the admin pages.
	adminLinkGood = 10 * time.Minute
	// adminIdle ends a session that nobody uses, adminAge any.
	adminIdle = 30 * time.Minute
	adminAge  = 12 * time.Hour
)

// adminSessions keeps who is signed in to the admin pages.
type adminSessions struct{ app *app }

// UseLink uses up a link.
func (s adminSessions) UseLink(ctx context.Context, secret string) (string, error) {
	return s.app.store.UseAdminLink(ctx, hashOf(secret), s.app.store.Now())
}

// Open starts a session.
func (s adminSessions) Open(ctx context.Context, who string) (string, error) {
	secret, now := newSecret(), s.app.store.Now()
	one := store.AdminSession{ID: strings.ToLower(rand.Text()[:12]), Who: who, Created: now, Expires: now.Add(adminAge)}
	if err := s.app.store.AddAdminSession(ctx, hashOf(secret), one); err != nil {
		return "", err
	}
	return secret, s.app.auditBy(ctx, who, map[string]string{"admin_session": one.ID, "began": "yes"})
}

// Session finds a session that is still good.
func (s adminSessions) Session(ctx context.Context, secret string) (adminpages.Session, error) {
	one, err := s.app.store.AdminSession(ctx, hashOf(secret), s.app.store.Now(), adminIdle)
	if err == nil && one.Who != operatorName && !s.app.isAdmin(one.Who) {
		err = core.Errorf(core.KindNotFound, "There is no such session.")
	}
	return shownSession(one), err
}

// List names the sessions that are still good.
func (s adminSessions) List(ctx context.Context) ([]adminpages.Session, error) {
	all, err := s.app.store.AdminSessions(ctx, s.app.store.Now(), adminIdle)
	var out []adminpages.Session
	for _, one := range all {
		out = append(out, shownSession(one))
	}
	return out, err
}

// End ends a session, or all.
func (s adminSessions) End(ctx context.Context, by, id string) error {
	if _, err := s.app.store.EndAdminSession(ctx, id); err != nil {
		return err
	}
	return s.app.auditBy(ctx, by, map[string]string{"admin_session": cmp.Or(id, "all"), "ended": "yes"})
}

func shownSession(s store.AdminSession) adminpages.Session {
	return adminpages.Session{ID: s.ID, Who: s.Who, Created: s.Created, Seen: s.Seen, Expires: s.Expires}
}

// auditBy writes down what somebody changed on the admin pages.
func (a *app) auditBy(ctx context.Context, who string, detail map[string]string) error {
	return a.store.Audit(ctx, core.AuditEntry{At: a.store.Now(), Action: core.AuditConfig, Actor: who, Detail: detail})
}

// isAdmin tells whether the owner listed the person.
func (a *app) isAdmin(email string) bool {
	return email != "" && slices.ContainsFunc(a.current().Admins, func(s string) bool { return strings.EqualFold(strings.TrimSpace(s), email) })
}

// adminTokens knows the tokens of admins.
type adminTokens struct{ holders *holders }

// Admin tells whom a token speaks for.
func (t adminTokens) Admin(ctx context.Context, secret string) (string, error) {
	h, err := t.holders.Holder(ctx, secret)
	if err != nil {
		return "", err
	}
	if !t.holders.app.isAdmin(h.Viewer.Email) {
		return "", core.Errorf(core.KindDenied, "This token speaks for somebody who is no admin; the owner lists those under admins.")
	}
	return strings.ToLower(h.Viewer.Email), nil
}
