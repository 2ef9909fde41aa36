package github

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"strconv"

	"github.com/google/go-github/v80/github"

	sdk "github.com/footnote-bot/footnote/plugin-sdk"
)

// published lists the releases that are for readers, the newest first.
func (s *Source) published(ctx context.Context, r repo) ([]*github.RepositoryRelease, error) {
	list, err := settled(ctx, func(v *github.RepositoryRelease) int64 { return v.GetID() }, func(o github.ListOptions) ([]*github.RepositoryRelease, *github.Response, error) {
		return s.api.Repositories.ListReleases(ctx, r.owner, r.name, &o)
	})
	if err != nil {
		return nil, explain("the releases of "+r.full(), err)
	}
	out := list[:0]
	for _, v := range list {
		if v.GetID() == 0 {
			return nil, explain("the releases of "+r.full(), errOdd)
		}
		if !v.GetDraft() {
			out = append(out, v)
		}
	}
	return out, nil
}

func releaseID(r repo, v *github.RepositoryRelease) string {
	return r.document(releases, strconv.FormatInt(v.GetID(), 10))
}

// releases sends all releases where any has changed: they carry no time of their
// last change, and the list holds their whole texts.
func (p *pass) releases(ctx context.Context, r *repo, at *place) error {
	list, err := p.src.published(ctx, *r)
	if err != nil {
		return err
	}
	docs, sum := make([]sdk.Document, len(list)), sha256.New()
	for n, v := range list {
		docs[n] = p.src.releaseDocument(*r, v)
		line := docs[n]
		line.Access = sdk.Access{} // Grants tells its changes
		if err := json.NewEncoder(sum).Encode(line); err != nil {
			return err
		}
	}
	now := digest(sum.Sum(nil))
	if now == at.Releases {
		return nil
	}
	for _, d := range docs {
		if err := p.send(ctx, r, d); err != nil {
			return err
		}
	}
	at.Releases = now
	return nil
}

func (s *Source) releaseDocument(r repo, v *github.RepositoryRelease) sdk.Document {
	name := cmp.Or(v.GetName(), v.GetTagName())
	body, state := cut(v.GetBody(), maxText), "release"
	if v.GetPrerelease() {
		state = "prerelease"
	}
	return sdk.Document{
		ID: releaseID(r, v), Title: r.name + ": " + name, URL: v.GetHTMLURL(), Body: body, Kind: "release", Author: v.GetAuthor().GetLogin(),
		Created: past(v.GetCreatedAt().Time), Updated: past(v.GetPublishedAt().Time),
		Folders: r.folders(), Access: s.access(r),
		Meta: map[string]string{"repository": r.full(), "tag": v.GetTagName(), "state": state},
	}
}
