package plugintest_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	sdk "github.com/footnote-bot/footnote/plugin-sdk"
	"github.com/footnote-bot/footnote/plugin-sdk/plugintest"
)

// pages reads a system over HTTP: a list of pages, then each page. Modes break it.
type pages struct {
	URL  string `required:"true" help:"address of the system"`
	mode string
	env  *sdk.Env
}

func servePages(mode string) {
	sdk.Serve("pages", "1", func() sdk.Source { return &pages{mode: mode} })
}

// Start keeps what the host gives.
func (p *pages) Start(_ context.Context, env *sdk.Env) error { p.env = env; return nil }

func (p *pages) Sync(ctx context.Context, _ sdk.Cursor, out *sdk.Out) error {
	var list []struct{ ID string }
	if err := p.get(ctx, "/pages", &list); err != nil && p.mode != "short" {
		return err
	}
	for _, item := range list {
		var page struct{ Title, Text string }
		switch err := p.get(ctx, "/pages/"+item.ID, &page); {
		case err == nil:
		case p.mode == "all-or-nothing", sdk.KindOf(err) == "auth", sdk.KindOf(err) == "busy", ctx.Err() != nil:
			return err
		case p.mode == "silent":
			continue
		default:
			if err := out.Failed(item.ID, err); err != nil {
				return err
			}
			continue
		}
		if err := out.Document(sdk.Document{ID: item.ID, Title: page.Title, Body: page.Text, Access: sdk.Workspace}); err != nil {
			return err
		}
	}
	return out.Checkpoint(sdk.Cursor("done"))
}

func (p *pages) List(ctx context.Context, out *sdk.Listing) error {
	var list []struct{ ID string }
	if err := p.get(ctx, "/pages", &list); err != nil && p.mode != "short" {
		return err
	}
	for _, item := range list {
		if err := out.Document(item.ID, ""); err != nil {
			return err
		}
	}
	return nil
}

func (p *pages) get(ctx context.Context, path string, into any) error {
	if p.mode == "deaf" {
		ctx = context.WithoutCancel(ctx)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, p.URL+path, nil)
	if err != nil {
		return err
	}
	resp, err := p.client().Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if p.mode == "hammer" && resp.StatusCode == http.StatusTooManyRequests {
		return p.get(ctx, path, into)
	}
	if resp.StatusCode >= 400 && p.mode == "unkind" {
		return fmt.Errorf("status %d", resp.StatusCode)
	}
	if err := sdk.StatusError(resp); err != nil {
		return err
	}
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(data, into); err != nil && p.mode != "lenient" {
		return err
	}
	return nil
}

func (p *pages) client() *http.Client {
	if p.mode == "hammer" || p.mode == "gives-up" || p.mode == "short" {
		return http.DefaultClient
	}
	return p.env.HTTP("api")
}

func pagesScript() *plugintest.Script {
	s := &plugintest.Script{Field: "url", Item: "/pages/b", Routes: []plugintest.Route{
		{Path: "/pages", JSON: []map[string]string{{"ID": "a"}, {"ID": "b"}, {"ID": "c"}}},
	}}
	for _, id := range []string{"a", "b", "c"} {
		s.Routes = append(s.Routes, plugintest.Route{
			Path: "/pages/" + id, Body: `{"Title": "Page ` + id + `", "Text": "see ${server}/x"}`,
		})
	}
	for i := range s.Routes { // the address differs each time, the documents must not
		s.Routes[i].Body = strings.ReplaceAll(s.Routes[i].Body, "${server}", "")
	}
	return s
}

// Every fault check can fail, on a connector that takes this fault wrongly.
func TestFaults(t *testing.T) {
	if testing.Short() {
		t.Skip("waits out pauses and retries")
	}
	for _, test := range []struct {
		mode string
		want []string
	}{
		{"good", nil},
		{"unkind", []string{"fault.auth", "fault.denied"}},
		{"all-or-nothing", []string{"fault.denied"}},
		{"silent", []string{"fault.denied", "fault.truncated"}},
		{"hammer", []string{"fault.busy"}},
		{"gives-up", nil},
		{"short", []string{"fault.auth", "fault.busy", "fault.errors", "fault.truncated", "fault.list"}},
		{"deaf", []string{"fault.slow"}},
		{"lenient", []string{"fault.truncated", "fault.list"}},
	} {
		t.Run(test.mode, func(t *testing.T) {
			t.Parallel()
			s := plugintest.Subject{Command: []string{executable(t), "pages", test.mode}, Env: quickEnd, Script: pagesScript()}
			if got := failing(t, s, "fault"); !slices.Equal(got, test.want) {
				t.Errorf("failed: %v, want %v", got, test.want)
			}
		})
	}
}
