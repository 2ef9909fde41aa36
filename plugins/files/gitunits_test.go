package files

import (
	"strings"
	"testing"

	sdk "github.com/footnote-bot/footnote/plugin-sdk"
)

func TestGitAddresses(t *testing.T) {
	type row struct {
		Git, User, Template, Branch, Path string
		URL, Scheme, Login, Link, Error   string
	}
	rows(t, "git", func(t *testing.T, r row) {
		s := &Source{Git: r.Git, User: r.User, URLTemplate: r.Template, Branch: r.Branch}
		if r.User != "" {
			s.Token = "t"
		}
		err := s.Start(t.Context(), nil)
		switch {
		case r.Error != "":
			if err == nil || sdk.KindOf(err) != "config" || !strings.Contains(err.Error(), r.Error) {
				t.Errorf("%v", err)
			}
			return
		case err != nil:
			t.Fatal(err)
		}
		if s.repo.url != r.URL || s.repo.scheme != r.Scheme || s.repo.user != r.Login {
			t.Errorf("%+v", *s.repo)
		}
		if got := s.webLink(r.Branch, r.Path); got != r.Link {
			t.Errorf("link %s", got)
		}
	})
}

func TestGitConfigErrorsNameTheField(t *testing.T) {
	const at = "https://git.example/a/b"
	for field, list := range map[string][]Source{
		"git":       {{Dir: "/x", Git: at}, {Git: "file:///x"}, {Git: "ext::sh -c x"}},
		"branch":    {{Dir: "/x", Branch: "b"}, {Git: at, Branch: "-x"}, {Git: at, Branch: "a..b"}, {Git: at, Branch: "a b"}, {Git: at, Branch: "/a"}, {Git: at, Branch: "a.lock"}},
		"subfolder": {{Dir: "/x", Subfolder: "b"}, {Git: at, Subfolder: "../x"}, {Git: at, Subfolder: "a/../../x"}, {Git: at, Subfolder: "a//b"}},
		"token":     {{Dir: "/x", Token: "t"}, {Git: "git@git.example:a/b", Token: "t"}, {Git: at, Token: "a\nb"}},
		"user":      {{Dir: "/x", User: "u"}, {Git: at, User: "u"}, {Git: at, User: "u:v", Token: "t"}},
		"url_template": {{Dir: "/x", URLTemplate: "https://x.example/{path}"}, {Git: at, URLTemplate: "https://x.example/{file}"}, {Git: at, URLTemplate: "https://x.example/"},
			{Git: at, URLTemplate: "x/{path}"}, {Git: at, URLTemplate: "https://x.example/{path}", URLBase: "https://x.example"}},
	} {
		for _, s := range list {
			if err := s.Start(t.Context(), nil); sdk.KindOf(err) != "config" || !strings.HasPrefix(err.Error(), field+": ") {
				t.Errorf("%s: %+v: %v", field, s, err)
			}
		}
	}
	s := Source{Git: "https://ann:hunter2222@git.example/a"}
	if err := s.Start(t.Context(), nil); err == nil || strings.Contains(err.Error(), "hunter2222") {
		t.Error(err)
	}
}

func TestSubfolders(t *testing.T) {
	for in, want := range map[string]string{"": "", ".": "", "/": "", "docs": "docs", "docs/": "docs", "/docs/guide": "docs/guide", "./docs": "docs", ".github/docs": ".github/docs"} {
		if got, err := parseSubfolder(in); got != want || err != nil {
			t.Errorf("%q: %q %v", in, got, err)
		}
	}
}

func TestTroubles(t *testing.T) {
	s := &Source{repo: &repository{url: "https://git.example/certificate/access denied", path: "certificate/access denied"}}
	type row struct{ Said, Want string }
	names := map[trouble]string{ownTrouble: "own", refused: "refused", forbidden: "forbidden", missing: "missing", redirected: "redirected",
		busy: "busy", strangeHost: "strange host", badTLS: "bad tls", unreachable: "unreachable"}
	rows(t, "troubles", func(t *testing.T, r row) {
		if got := names[troubleOf(s.withoutAddress(r.Said))]; got != r.Want {
			t.Errorf("%s", got)
		}
	})
}

func TestPickTip(t *testing.T) {
	const out = "ref: refs/heads/main\tHEAD\naaa\tHEAD\naaa\trefs/heads/main\nbbb\trefs/heads/dev\n"
	for name, row := range map[string]struct {
		out, wanted string
		want        tip
		err         string
	}{
		"its own":       {out, "", tip{"main", "refs/heads/main", "aaa"}, ""},
		"wanted":        {out, "dev", tip{"dev", "refs/heads/dev", "bbb"}, ""},
		"not there":     {out, "rel", tip{}, `there is no branch "rel"; there are: main, dev`},
		"empty":         {"", "dev", tip{branch: "dev"}, ""},
		"detached head": {"aaa\tHEAD\nbbb\trefs/heads/dev\n", "", tip{"HEAD", "HEAD", "aaa"}, ""},
		"head of none":  {"bbb\trefs/heads/dev\n", "", tip{}, "write one of: dev"},
		"other heads":   {"ref: refs/remotes/x/old\trefs/remotes/x/HEAD\n" + out + "ref: refs/remotes/y/old\trefs/remotes/y/HEAD\n", "", tip{"main", "refs/heads/main", "aaa"}, ""},
		"noise":         {"warning\n" + out, "dev", tip{"dev", "refs/heads/dev", "bbb"}, ""},
	} {
		got, err := pickTip(row.out, row.wanted)
		if got != row.want || (err == nil) != (row.err == "") || err != nil && !strings.Contains(err.Error(), row.err) {
			t.Errorf("%s: %+v %v", name, got, err)
		}
	}
}
