package plugins

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/plugin-sdk/wire"
)

// manifest is the plugin.json of a release.
type manifest struct {
	Name     string `json:"name"`
	Version  string `json:"version"`
	Footnote string `json:"footnote"` // the oldest Footnote that it works with; may be empty
	Protocol int    `json:"protocol"`
	// Platforms is by OS/ARCH, such as linux/amd64.
	Platforms map[string]manifestFile `json:"platforms"`
}

type manifestFile struct {
	URL        string `json:"url"`        // may be relative to the manifest's own address
	SHA256     string `json:"sha256"`     // of the file at the address
	Executable string `json:"executable"` // SHA-256 of the program in it; may be empty
}

func (i *Installer) planManifestURL(ctx context.Context, u *url.URL, w Wanted) (*Plan, error) {
	var b bytes.Buffer
	sum, err := i.get(ctx, u, maxManifest, &b)
	if err != nil {
		return nil, err
	}
	if w.SHA256 != "" && sum != w.SHA256 {
		return nil, core.Errorf(core.KindConfig, "%s has SHA-256 %s and should have %s. Nothing was installed", u, sum, w.SHA256)
	}
	return i.planManifest(b.Bytes(), u.String(), u, u.String())
}

func (i *Installer) planManifestFile(path string, w Wanted) (*Plan, error) {
	info, err := os.Stat(path)
	if err == nil && info.Size() > maxManifest {
		return nil, core.Errorf(core.KindTooLarge, "%s is larger than %s: it is no manifest", path, sized(maxManifest))
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, core.Errorf(core.KindNotFound, "the manifest cannot be read: %w", err)
	}
	if sum, err := sumOf(path); w.SHA256 != "" && (err != nil || sum != w.SHA256) {
		return nil, core.Errorf(core.KindConfig, "%s has SHA-256 %s and should have %s. Nothing was installed", path, sum, w.SHA256)
	}
	source := filepath.Base(path)
	if strings.ContainsFunc(source, func(r rune) bool { return r <= ' ' || r == '#' }) {
		source = "plugin.json"
	}
	return i.planManifest(text, path, nil, source)
}

// planManifest plans the release that a manifest describes. Where is how the
// manifest is called in errors, base its address if it has one.
func (i *Installer) planManifest(text []byte, where string, base *url.URL, source string) (*Plan, error) {
	m, err := i.readManifest(text, where)
	if err != nil {
		return nil, err
	}
	p := &Plan{strict: true, block: Locked{
		Name: m.Name, Version: m.Version, Source: source, Protocol: m.Protocol,
		Programs: map[string]string{}, Downloads: map[string]Download{},
	}}
	for platform, f := range m.Platforms {
		d, err := f.download(where, platform, base)
		if err != nil {
			return nil, err
		}
		p.block.Downloads[platform] = d
		if f.Executable != "" {
			p.block.Programs[platform] = f.Executable
		}
	}
	d, ok := p.block.Downloads[i.platform()]
	if !ok {
		return nil, core.Errorf(core.KindNotFound, "%s: %s %s has no release for %s, only for %s. Build it here from source, or ask its author",
			where, m.Name, m.Version, i.platform(), strings.Join(slices.Sorted(maps.Keys(m.Platforms)), ", "))
	}
	p.want = p.block.Programs[i.platform()]
	old, err := i.Find(m.Name)
	switch {
	case core.KindOf(err) == core.KindNotFound:
	case err != nil:
		return nil, err
	case old.Version == m.Version && old.Follows == "":
		if err := sameRelease(old, p.block, where); err != nil {
			return nil, err
		}
		if old.Downloads[i.platform()] == d && i.whole(old) {
			return &Plan{block: old, Present: true}, nil
		}
	}
	return i.downloadPlan(p, d), nil
}

// sameRelease refuses a version that was locked with other content: a release that
// is made anew under its old number is what a lock is there to notice.
func sameRelease(old, now Locked, where string) error {
	for _, platform := range slices.Sorted(maps.Keys(now.Downloads)) {
		was, ok := old.Downloads[platform]
		if is := now.Downloads[platform]; ok && was.SHA256 != is.SHA256 {
			return core.Errorf(core.KindConfig,
				"%s: %s %s is locked with SHA-256 %s for %s, and the manifest now says %s: the version was released again with other content. Ask its author why. If it is right, take the block of %s out of the lock and install it again",
				where, now.Name, now.Version, was.SHA256, platform, is.SHA256, now.Name)
		}
	}
	return nil
}

func (i *Installer) readManifest(text []byte, where string) (manifest, error) {
	var m manifest
	if err := json.Unmarshal(text, &m); err != nil {
		return m, core.Errorf(core.KindInvalid, "%s is not a manifest of a connector: %w", where, err)
	}
	if err := i.mayBeCalled(m.Name, m.Version); err != nil {
		return m, core.Wrap(core.KindOf(err), err, where+": "+err.Error())
	}
	if m.Protocol != wire.ProtocolVersion {
		return m, core.Errorf(core.KindConfig, "%s: %s", where, versionMessage(m.Name, int64(m.Protocol)))
	}
	if m.Footnote != "" {
		enough, err := atLeast(i.Version, m.Footnote)
		if err != nil {
			return m, core.Errorf(core.KindInvalid, "%s: footnote: %w", where, err)
		}
		if !enough {
			return m, core.Errorf(core.KindConfig, "%s: %s %s needs Footnote %s or newer, and this is %s: upgrade Footnote, or install an older release of the connector",
				where, m.Name, m.Version, m.Footnote, i.Version)
		}
	}
	if len(m.Platforms) == 0 {
		return m, core.Errorf(core.KindInvalid, "%s names no platforms", where)
	}
	return m, i.checkSums(m, where)
}

func (i *Installer) checkSums(m manifest, where string) error {
	for platform, f := range m.Platforms {
		if !goodPlatform.MatchString(platform) {
			return core.Errorf(core.KindInvalid, "%s: %q is not a platform such as linux/amd64", where, cut(oneLine(platform), 60))
		}
		if !goodSum.MatchString(f.SHA256) || f.Executable != "" && !goodSum.MatchString(f.Executable) {
			return core.Errorf(core.KindInvalid, "%s: %s: a sum is not a SHA-256 of 64 small hexadecimal digits", where, platform)
		}
	}
	return nil
}

// download makes the address absolute.
func (f manifestFile) download(where, platform string, base *url.URL) (Download, error) {
	u, err := url.Parse(f.URL)
	if err != nil || f.URL == "" {
		return Download{}, core.Errorf(core.KindInvalid, "%s: %s: %q is not an address", where, platform, cut(oneLine(f.URL), 200))
	}
	if !u.IsAbs() {
		if base == nil {
			return Download{}, core.Errorf(core.KindInvalid, "%s: %s: the address %q has no beginning, which only a manifest with an address of its own can lend it", where, platform, cut(oneLine(f.URL), 200))
		}
		u = base.ResolveReference(u)
	}
	if u, err = downloadURL(u.String()); err != nil {
		return Download{}, core.Wrap(core.KindInvalid, err, fmt.Sprintf("%s: %s: %v", where, platform, err))
	}
	return Download{URL: u.String(), SHA256: f.SHA256}, nil
}

// atLeast compares releases. A Footnote that is no release was built by somebody
// who knows what it is.
func atLeast(have, least string) (bool, error) {
	want, ok := release(least)
	if !ok {
		return false, errors.New("\"" + cut(oneLine(least), 60) + "\" is not a version such as 1.2.0")
	}
	got, ok := release(have)
	return !ok || slices.Compare(got[:], want[:]) >= 0, nil
}

// release reads the three numbers of a version; what comes before a release
// counts as the release.
func release(version string) (out [3]int, ok bool) {
	core, _, _ := strings.Cut(bare(version), "-")
	core, _, _ = strings.Cut(core, "+")
	n, err := fmt.Sscanf(core+"\n", "%d.%d.%d\n", &out[0], &out[1], &out[2])
	return out, err == nil && n == 3 && out != [3]int{}
}
