package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/core/model"
	"github.com/footnote-bot/footnote/internal/cli/config"
)

// reachPatience is how long a server may take to say that it is there.
const reachPatience = 5 * time.Second

// reach asks a server for nothing but the head of its answer, whatever that is, and
// returns how far its clock is ahead of ours; known is false where it does not tell.
// No key is sent.
func reach(ctx context.Context, patience time.Duration, address string) (ahead time.Duration, known bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	u, err := url.Parse(address)
	if err != nil {
		return 0, false, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodHead, u.Scheme+"://"+u.Host+"/", nil)
	if err != nil {
		return 0, false, err
	}
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	began := time.Now()
	resp, err := client.Do(req)
	if err != nil {
		return 0, false, inShort(errors.Unwrap(err)) // without the address, which the caller names
	}
	resp.Body.Close() //nolint:errcheck // it has no body
	middle := began.Add(time.Since(began) / 2)
	at, err := http.ParseTime(resp.Header.Get("Date"))
	if err != nil {
		return 0, false, nil
	}
	return at.Sub(middle), true, nil
}

// mostSaid is how many bytes of an error are shown: some quote all that came.
const mostSaid = 300

func inShort(err error) error {
	text := err.Error()
	if len(text) <= mostSaid {
		return err
	}
	return errors.New(strings.ToValidUTF8(text[:mostSaid], "") + "…")
}

const (
	// A Date header counts whole seconds, and an answer may be on its way for some.
	clockWarn = 30 * time.Second
	// Slack refuses what is five minutes off, and so do we from it.
	clockFail = 5 * time.Minute
)

// checkClock compares our clock with those of servers that have to be reached anyway.
func (a *app) checkClock(ctx context.Context) []check {
	var servers []string
	for _, s := range a.cfg.Slack {
		servers = append(servers, cmp.Or(s.APIURL, "https://slack.com/api/"))
	}
	if a.cfg.Model.BaseURL != "" {
		servers = append(servers, a.cfg.Model.BaseURL)
	}
	for _, s := range servers {
		ahead, known, err := reach(ctx, a.within(reachPatience), s)
		if err == nil && known {
			return []check{clockCheck(ahead, s)}
		}
	}
	if len(servers) == 0 {
		return nil
	}
	return []check{{Name: "clock", Outcome: unknown, Detail: "no server tells the time", Fix: "nothing to do where this machine keeps its time by NTP"}}
}

// clockCheck judges how far a server's clock is ahead of ours.
func clockCheck(ahead time.Duration, server string) check {
	k := check{Name: "clock", Outcome: passed, Detail: "agrees with " + hostOf(server)}
	off := ahead.Abs()
	if off < clockWarn {
		return k
	}
	way := "behind"
	if ahead < 0 {
		way = "ahead of"
	}
	k.Outcome, k.Detail = warned, fmt.Sprintf("is %s %s that of %s", off.Round(time.Second), way, hostOf(server))
	k.Fix = "let this machine keep its time by NTP, such as with: timedatectl set-ntp true"
	if off >= clockFail {
		k.Outcome = failed
	}
	return k
}

func hostOf(address string) string {
	if u, err := url.Parse(address); err == nil && u.Host != "" {
		return u.Host
	}
	return address
}

// checkModelEndpoint is checkModel, and whether there is a server at all.
func (a *app) checkModelEndpoint(ctx context.Context) check {
	k := a.checkModel(ctx)
	if a.models.first == nil || k.Outcome == failed {
		return k
	}
	if _, _, err := reach(ctx, a.within(reachPatience), a.cfg.Model.BaseURL); err != nil {
		k.Outcome, k.Detail = failed, k.Detail+" cannot be reached: "+err.Error()
		k.Fix = "start the server, or correct model.base_url; until then answers are quotes"
	}
	return k
}

// checkVision tells whether the model that describes pictures is there. It is shown no
// picture.
func (a *app) checkVision(ctx context.Context) []check {
	v := a.cfg.Vision
	if !v.Configured() {
		return nil
	}
	k := check{Name: "vision", Outcome: passed, Detail: v.Name + " at " + v.BaseURL}
	const fix = "mend that under vision: in footnote.yaml; until then pictures are found by their names, and are read again by footnote sync --retry"
	if _, _, err := reach(ctx, a.within(reachPatience), v.BaseURL); err != nil {
		k.Outcome, k.Detail, k.Fix = failed, k.Detail+" cannot be reached: "+err.Error(), fix
		return []check{k}
	}
	client, err := model.New(model.Config{BaseURL: v.BaseURL, Name: v.Name, APIKey: v.APIKey, Profile: v.Profile, Log: a.log, Section: "vision"})
	if err != nil {
		k.Outcome, k.Detail, k.Fix = failed, err.Error(), fix
		return []check{k}
	}
	names, err := client.Models(ctx)
	switch {
	case core.KindOf(err) == core.KindAuth:
		k.Outcome, k.Detail, k.Fix = failed, err.Error(), fix
	case err == nil && len(names) > 0 && !slices.Contains(names, v.Name):
		k.Outcome, k.Detail, k.Fix = warned, k.Detail+" is not among the models that the server names", fix
	}
	return []check{k}
}

// checkHTTP tells whether the HTTP interface answers, or could be served.
func (a *app) checkHTTP(ctx context.Context) []check {
	k := check{Name: "http", Outcome: passed}
	at := a.httpAddress.Load()
	if at == nil {
		address := cmp.Or(a.cfg.HTTP.Listen, defaultListen)
		k.Detail = address + ", not served at the moment"
		l, err := new(net.ListenConfig).Listen(ctx, "tcp", address)
		if err != nil {
			k.Outcome, k.Detail, k.Fix = warned, "footnote serve could not listen on "+address+": "+err.Error(), "end what listens there, or set http.listen to another address"
			return []check{k}
		}
		l.Close() //nolint:errcheck // it was only tried
		return []check{k}
	}
	k.Detail = *at
	if _, _, err := reach(ctx, a.within(reachPatience), "http://"+*at); err != nil {
		k.Outcome, k.Detail, k.Fix = failed, *at+" does not answer: "+err.Error(), "look at the log of footnote serve, and start it again"
	} else if host, _, err := net.SplitHostPort(*at); err == nil && !isLoopback(host) {
		k.Outcome, k.Detail = warned, *at+" may be reached from other machines, and tokens travel in the clear"
		k.Fix = "nothing where a proxy with TLS is in front; else set http.listen: " + defaultListen
	}
	return []check{k}
}

// checkAdmin tells whether the admin pages are for this machine only.
func (a *app) checkAdmin() []check {
	if a.cfg.Admin.Listen == config.AdminOff {
		return []check{{Name: "admin pages", Outcome: passed, Detail: "off"}}
	}
	address := cmp.Or(a.cfg.Admin.Listen, config.DefaultAdminListen)
	k := check{Name: "admin pages", Outcome: passed, Detail: address}
	if host, _, err := net.SplitHostPort(address); err == nil && !isLoopback(host) {
		k.Outcome, k.Detail = warned, address+" may be reached from other machines"
		k.Fix = "let only the proxy at " + a.cfg.Admin.URL + " reach it, or set admin.listen: " + config.DefaultAdminListen
	}
	if a.httpAddress.Load() != nil && a.adminAddress.Load() == nil {
		k.Outcome, k.Detail, k.Fix = warned, "they are not served: "+address+" was taken when footnote serve began", "set admin.listen to another address"
	}
	return []check{k}
}

func isLoopback(host string) bool {
	ip := net.ParseIP(strings.Trim(host, "[]"))
	return host == "localhost" || ip != nil && ip.IsLoopback()
}
