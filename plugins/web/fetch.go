package web

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	sdk "github.com/footnote-bot/footnote/plugin-sdk"
)

// Fetch opens the file of a reference that Sync made. References to anything that is
// not read of the site are refused.
func (s *Source) Fetch(ctx context.Context, ref string) (*sdk.File, error) {
	_, address, ok := strings.Cut(ref, " ")
	u, err := url.Parse(address)
	if !ok || err != nil || u.Host == "" || !s.scope.reads(s.scope.normal(u)) {
		return nil, sdk.Denied(fmt.Errorf("%q is not a file of this source", clip(ref, 200)))
	}
	a, err := s.web.get(ctx, u, nil, fileTime)
	if err != nil {
		return nil, err
	}
	switch {
	case redirects(a.StatusCode):
		err = errors.New("the file has moved: the next sync follows it")
	case a.StatusCode != http.StatusOK:
		err = sdk.FromStatus(a.StatusCode, 0, fmt.Errorf("the server answered %d %s", a.StatusCode, http.StatusText(a.StatusCode)))
	case a.ContentLength > s.maxBytes():
		err = tooLarge(s.maxBytes())
	}
	if err != nil {
		discard(a.Response)
		return nil, err
	}
	media := mediaOf(a)
	if kind, _ := fileType(a.url.Path, media); kind != "" {
		media = kind
	}
	return &sdk.File{
		Name: nameOf(a.url), MediaType: media, Size: max(a.ContentLength, 0),
		Content: &limited{a.Body, s.maxBytes() + 1, s.maxBytes()},
	}, nil
}

// limited fails where a file has more than it may.
type limited struct {
	io.ReadCloser
	left, most int64
}

func (l *limited) Read(p []byte) (int, error) {
	n, err := l.ReadCloser.Read(p[:min(int64(len(p)), l.left)])
	if l.left -= int64(n); l.left <= 0 {
		return n, tooLarge(l.most)
	}
	return n, err
}
