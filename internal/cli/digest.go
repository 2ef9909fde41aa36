package cli

import (
	"cmp"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/footnote-bot/footnote/bot/console"
	"github.com/footnote-bot/footnote/core"
	"github.com/footnote-bot/footnote/core/gaps"
	"github.com/footnote-bot/footnote/internal/cli/config"
)

const (
	// digestLook is how often it is looked whether a digest is due.
	digestLook = 5 * time.Minute
	// leastDigest bounds how often one is made.
	leastDigest = time.Hour
	digestKey   = "digest_last"
)

// runDigests makes digests when they are due, until ctx ends. The first comes after
// one whole time. A time is told once at most: where a digest cannot be delivered, the
// log says so, and footnote gaps shows it.
func (a *app) runDigests(ctx context.Context) {
	for {
		if err := a.digestIfDue(ctx); err != nil && ctx.Err() == nil {
			a.log.Error("a digest of knowledge gaps was not delivered; footnote gaps shows it", "kind", core.KindOf(err), "error", err)
		}
		if pause(ctx, digestLook) != nil {
			return
		}
	}
}

func (a *app) digestIfDue(ctx context.Context) error {
	if a.current().Digest.Place == "" && a.current().Digest.File == "" {
		return nil
	}
	noted, err := a.store.Note(ctx, digestKey)
	if err != nil {
		return err
	}
	now := a.store.Now()
	since, due := digestDue(noted, now, max(cmp.Or(a.current().Digest.Every, config.Week), leastDigest))
	if noted != "" && !due {
		return nil
	}
	if err := a.store.SetNote(ctx, digestKey, now.UTC().Format(time.RFC3339)); err != nil || !due {
		return err
	}
	asked, _, err := a.askedSince(ctx, since)
	if err != nil {
		return err
	}
	return errors.Join(a.digestToFile(asked, since, now), a.digestToPlace(ctx, asked, since))
}

// digestDue tells whether a digest is due and from when on it counts. A note that
// cannot be read, or is of the future, counts as none.
func digestDue(noted string, now time.Time, every time.Duration) (since time.Time, due bool) {
	last, err := time.Parse(time.RFC3339, noted)
	if err != nil || last.After(now) {
		return time.Time{}, false
	}
	return last, now.Sub(last) >= every
}

// digestToFile writes what the owner may see, in place of the digest before.
func (a *app) digestToFile(asked []gaps.Question, since, now time.Time) error {
	path := a.current().Digest.File
	if path == "" {
		return nil
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(a.cfg.DataDir, path)
	}
	text := console.Clean(digestText(gaps.DigestFor(asked, gaps.Reader{}), since, now))
	fresh := path + ".new"
	err := os.WriteFile(fresh, []byte(text), 0o600)
	if err == nil {
		err = os.Rename(fresh, path)
	}
	if err != nil {
		return core.Errorf(core.KindDisk, "the digest cannot be written to %s: %w; set digest.file to a file that can", path, err)
	}
	return nil
}

// digestToPlace posts what everybody in the place may know. Who reads it is looked up
// right before. A time without gaps is not worth a message.
func (a *app) digestToPlace(ctx context.Context, asked []gaps.Question, since time.Time) error {
	if a.current().Digest.Place == "" {
		return nil
	}
	reader, err := a.digestReader(ctx, a.current().Digest.Place)
	if err != nil {
		return err
	}
	d := gaps.DigestFor(asked, reader)
	if len(d.Groups) == 0 && d.Hidden == 0 {
		return nil
	}
	platform, rest, _ := strings.Cut(reader.Place, ":")
	team, channel, _ := strings.Cut(rest, "/")
	to, err := a.announcer(platform)
	if err != nil {
		return err
	}
	return to.Announce(ctx, team, channel, digestMarkdown(d, since))
}

// announcer posts into a channel what nobody asked for.
type announcer interface {
	Announce(ctx context.Context, team, channel, markdown string) error
}

func (a *app) announcer(platform string) (announcer, error) {
	if b := a.inSlack.Load(); platform == "slack" && b != nil {
		return b, nil
	}
	if b := a.inDiscord.Load(); platform == "discord" && b != nil {
		return b, nil
	}
	return nil, core.Errorf(core.KindConfig, "digest.place: %s is no place of a chat platform that is served here; set it to the id of a channel such as slack:T1/C1", a.current().Digest.Place)
}
