package plugins

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/footnote-bot/footnote/core"
)

// What an installation may bring, in bytes unless said otherwise.
const (
	maxManifest  = 1 << 20
	maxDownload  = 512 << 20
	maxProgram   = 512 << 20
	maxEntries   = 10_000 // files and folders in an archive
	maxRedirects = 5

	downloadTimeout = 15 * time.Minute
)

// downloadURL reads an address from which something may be fetched: https, or http
// on this machine. Credentials have no place in it: it stands in the lock.
func downloadURL(text string) (*url.URL, error) {
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Host == "":
		return nil, core.Errorf(core.KindUsage, "%q is not an address", cut(oneLine(text), 200))
	case u.User != nil:
		return nil, core.Errorf(core.KindUsage, "the address of %s holds a user name or password, which would stand in the lock: fetch the file yourself and install that", u.Hostname())
	case u.Scheme == "https", u.Scheme == "http" && loopback(u.Hostname()):
		return u, nil
	}
	return nil, core.Errorf(core.KindUsage, "%s is not fetched: connectors come over https only", cut(oneLine(u.Redacted()), 200))
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// newClient follows few redirects, and never one off https.
func newClient() *http.Client {
	transport := &http.Transport{
		Proxy: http.ProxyFromEnvironment, TLSHandshakeTimeout: 15 * time.Second,
		ResponseHeaderTimeout: 30 * time.Second, ForceAttemptHTTP2: true,
		DialContext: (&net.Dialer{Timeout: 15 * time.Second}).DialContext,
	}
	return &http.Client{Transport: transport, CheckRedirect: redirect}
}

func redirect(req *http.Request, via []*http.Request) error {
	if len(via) > maxRedirects {
		return fmt.Errorf("more than %d redirects", maxRedirects)
	}
	if _, err := downloadURL(req.URL.String()); err != nil {
		return err
	}
	if via[0].URL.Scheme == "https" && req.URL.Scheme != "https" {
		return errors.New("a redirect leads away from https")
	}
	return nil
}

// get writes what lies at the address to w and returns its SHA-256.
func (i *Installer) get(ctx context.Context, u *url.URL, limit int64, w io.Writer) (sum string, err error) {
	ctx, cancel := context.WithTimeout(ctx, downloadTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return "", core.Errorf(core.KindUsage, "%q is not an address", u)
	}
	req.Header.Set("User-Agent", "footnote/"+i.Version)
	client := i.Client
	if client == nil {
		client = newClient()
		defer client.CloseIdleConnections()
	}
	resp, err := client.Do(req)
	if err != nil {
		if ctx.Err() != nil {
			return "", stopped(ctx, "fetching "+u.String())
		}
		return "", core.Wrap(core.KindUnavailable, err, fmt.Sprintf("cannot fetch %s: %v", u, errors.Unwrap(err)))
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		kind := core.KindUnavailable
		if resp.StatusCode == http.StatusNotFound || resp.StatusCode == http.StatusGone {
			kind = core.KindNotFound
		}
		return "", core.Errorf(kind, "cannot fetch %s: the server answers %s", u, resp.Status)
	}
	hash := sha256.New()
	report := &reporter{installer: i, u: u, size: resp.ContentLength, last: time.Now()}
	n, err := io.Copy(io.MultiWriter(w, hash, report), io.LimitReader(resp.Body, limit+1))
	switch {
	case ctx.Err() != nil:
		return "", stopped(ctx, "fetching "+u.String())
	case err != nil:
		return "", core.Wrap(core.KindUnavailable, err, fmt.Sprintf("cannot fetch %s: %v", u, err))
	case n > limit:
		return "", core.Errorf(core.KindTooLarge, "%s is larger than %s; it was not fetched", u, sized(limit))
	}
	return hex.EncodeToString(hash.Sum(nil)), nil
}

// planURL plans an archive, a bare program or a manifest at an address.
func (i *Installer) planURL(ctx context.Context, w Wanted) (*Plan, error) {
	u, err := downloadURL(w.Ref)
	if err != nil {
		return nil, err
	}
	if path.Ext(u.Path) == ".json" {
		return i.planManifestURL(ctx, u, w)
	}
	if w.SHA256 == "" {
		return nil, core.Errorf(core.KindUsage,
			"%s: what is fetched has to be known beforehand: add --sha256 with the sum that its author published, or name the manifest (plugin.json) of the release", u)
	}
	d := Download{URL: u.String(), SHA256: w.SHA256}
	p := &Plan{block: Locked{Source: u.String(), Downloads: map[string]Download{i.platform(): d}}}
	if all, err := i.All(); err == nil {
		for _, l := range all {
			if l.Downloads[i.platform()] == d && i.whole(l) {
				return &Plan{block: l, Present: true}, nil
			}
		}
	}
	return i.downloadPlan(p, d), nil
}

// downloadPlan fetches a release's file for this platform.
func (i *Installer) downloadPlan(p *Plan, d Download) *Plan {
	what := "the program in "
	if p.block.Name != "" {
		what = p.block.Name + " " + p.block.Version + ", the program in "
	}
	p.Lines = append(p.Lines, what+d.URL+" (SHA-256 "+d.SHA256+")")
	p.fetch = func(ctx context.Context, tmp string) (string, error) { return i.download(ctx, d, p.block, tmp) }
	return p
}

// download fetches a file whose sum is known and takes the program out of it. Not
// a byte of it is looked at before the sum is right.
func (i *Installer) download(ctx context.Context, d Download, l Locked, tmp string) (string, error) {
	u, err := downloadURL(d.URL)
	if err != nil {
		return "", err
	}
	file := filepath.Join(tmp, "download")
	f, err := os.OpenFile(file, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return "", core.Errorf(core.KindDisk, "the download cannot be written: %w", err)
	}
	sum, err := i.get(ctx, u, maxDownload, f)
	if closeErr := f.Close(); err == nil && closeErr != nil {
		err = core.Errorf(core.KindDisk, "the download cannot be written: %w", closeErr)
	}
	if err != nil {
		return "", err
	}
	if sum != d.SHA256 {
		return "", core.Errorf(core.KindConfig,
			"%s has SHA-256 %s and should have %s. It was released again with other content, or somebody changed it on the way. Nothing was installed and nothing of it was run. If its author says that the new sum is right: footnote plugin install %s --sha256 SUM",
			u, sum, d.SHA256, u)
	}
	name := l.Name
	if name == "" {
		name, _, _ = strings.Cut(path.Base(u.Path), "_")
	}
	return unpack(ctx, file, name, tmp)
}

// reporter tells every few seconds how much of a download has come.
type reporter struct {
	installer *Installer
	u         *url.URL
	got, size int64 // bytes; size is -1 if unknown
	last      time.Time
}

const reportEvery = 3 * time.Second

// Write counts.
func (r *reporter) Write(p []byte) (int, error) {
	r.got += int64(len(p))
	if now := time.Now(); now.Sub(r.last) >= reportEvery {
		r.last = now
		of := ""
		if r.size > 0 {
			of = " of " + sized(r.size)
		}
		r.installer.stage("fetching %s: %s%s", r.u, sized(r.got), of)
	}
	return len(p), nil
}
