package cli

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"strings"

	"github.com/spf13/cobra"

	"github.com/footnote-bot/footnote/bot/adminpages"
	"github.com/footnote-bot/footnote/bot/console"
	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/internal/cli/config"
)

func (inv *invocation) adminCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "admin",
		Short: "Open the admin pages of footnote serve",
		Args:  noSuchCommand,
		RunE:  func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(inv.adminLoginCommand(), inv.adminLogoutCommand())
	return c
}

func (inv *invocation) adminLoginCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "login",
		Short: "Print a link that opens the admin pages once",
		Long: `Print a link that opens the admin pages of footnote serve, once, within ten
minutes. A session ends after half an hour without use, and after twelve hours.`,
		Args: atMost(0),
		RunE: func(c *cobra.Command, _ []string) error {
			return inv.withNewFolder(c.Context(), func(ctx context.Context, a *app) error { return inv.adminLogin(ctx, a) })
		},
	}
}

func (inv *invocation) adminLogin(ctx context.Context, a *app) error {
	base := a.adminAddress.Load()
	if base == nil {
		at, err := a.adminExpected()
		if err != nil {
			return err
		}
		fmt.Fprintln(inv.streams.Err, "note: footnote serve does not run here, or without admin pages; start it within ten minutes")
		base = &at
	}
	secret, now := newSecret(), a.store.Now()
	if err := a.store.AddAdminLink(ctx, hashOf(secret), operatorName, now, now.Add(adminLinkGood)); err != nil {
		return err
	}
	_, err := fmt.Fprintf(inv.streams.Out, "%s%s/login?code=%s\n", *base, adminpages.Base, url.QueryEscape(secret))
	return err
}

func (inv *invocation) adminLogoutCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "logout",
		Short: "End all sessions of the admin pages, and unused links",
		Args:  atMost(0),
		RunE: func(c *cobra.Command, _ []string) error {
			return inv.withNewFolder(c.Context(), func(ctx context.Context, a *app) error {
				n, err := a.store.EndAdminSession(ctx, "")
				if err != nil {
					return err
				}
				if err := a.audit(ctx, core.AuditConfig, map[string]string{"admin_session": "all", "ended": "yes"}); err != nil {
					return err
				}
				_, err = fmt.Fprintf(inv.streams.Out, "ended %s\n", counted(int(n), "session"))
				return err
			})
		},
	}
}

// adminExpected is where footnote serve will show the pages.
func (a *app) adminExpected() (string, error) {
	outside, err := a.cfg.Admin.Outside()
	switch {
	case err != nil:
		return "", err
	case outside != nil:
		return strings.TrimSuffix(outside.String(), "/"), nil
	case a.cfg.Admin.Listen == config.AdminOff:
		return "", core.Errorf(core.KindConfig, "the admin pages are switched off; take admin.listen: off out of the configuration")
	case a.cfg.Admin.Listen != "":
		return "http://" + a.cfg.Admin.Listen, nil
	}
	return "http://" + config.DefaultAdminListen, nil
}

// openAdmin opens the address of the admin pages; nil where there are none. Where
// nothing is set and the usual port is taken, there are none either: answers are
// worth more than pages.
func (inv *invocation) openAdmin(ctx context.Context, a *app) (net.Listener, *url.URL, error) {
	outside, err := a.cfg.Admin.Outside()
	if err != nil || a.cfg.Admin.Listen == config.AdminOff {
		return nil, nil, err
	}
	if address := a.cfg.Admin.Listen; address != "" {
		l, err := new(net.ListenConfig).Listen(ctx, "tcp", address)
		if err != nil {
			return nil, nil, core.Errorf(core.KindConfig, "cannot listen on %s for the admin pages: %w; choose another address with admin.listen, or off", address, err)
		}
		return l, outside, nil
	}
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", config.DefaultAdminListen)
	if err != nil {
		fmt.Fprintf(inv.streams.Err, "note: there are no admin pages, as %s is taken; choose another address with admin.listen\n", config.DefaultAdminListen)
		return nil, nil, nil
	}
	return l, outside, nil
}

// serveAdmin shows the admin pages until ctx ends.
func (a *app) serveAdmin(ctx context.Context, l net.Listener, outside *url.URL, h *holders, metrics http.Handler) {
	data := newAdminData(ctx, a)
	defer data.wait()
	server := adminpages.New(adminpages.Options{
		Sessions: adminSessions{a}, Tokens: adminTokens{h}, Overview: data, Sources: data, Documents: data,
		Questions: data, Insights: data, Audits: data, Settings: data, URL: outside, Metrics: metrics, Now: a.store.Now, Log: a.log,
	}).HTTP()
	server.BaseContext = func(net.Listener) context.Context { return context.WithoutCancel(ctx) }
	stop := context.AfterFunc(ctx, func() {
		limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownPatience)
		defer cancel()
		if server.Shutdown(limited) != nil {
			_ = server.Close() // what did not end by now is cut
		}
	})
	defer stop()
	if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		a.log.LogAttrs(ctx, slog.LevelError, "the admin pages are no longer served", slog.Any("error", err))
	}
}

// noteAdmin says where the pages are.
func (inv *invocation) noteAdmin(a *app, l net.Listener, outside *url.URL) {
	at := "http://" + l.Addr().String()
	if outside != nil {
		at = strings.TrimSuffix(outside.String(), "/")
	}
	a.adminAddress.Store(&at)
	fmt.Fprintf(inv.streams.Err, "admin pages on %s%s/; sign in with: footnote admin login\n", console.Clean(at), adminpages.Base)
}
