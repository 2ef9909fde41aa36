package slack

import (
	"context"
	"errors"

	"github.com/slack-go/slack"

	"github.com/footnote-bot/footnote/core"
)

// manifest validates the manifest, or makes an app of it.
func (a *api) manifest(ctx context.Context, method, token string, v Variant) (out *slack.ManifestResponse, err error) {
	raw := Manifest(v)
	switch method {
	case "apps.manifest.validate":
		err = a.call(ctx, call{method: "apps.manifest.validate"}, func(ctx context.Context) error {
			out, err = a.slack.ValidateManifestRawContext(ctx, raw, token, "")
			return err
		})
	default:
		err = a.call(ctx, call{method: "apps.manifest.create", effect: adds}, func(ctx context.Context) error {
			out, err = a.slack.CreateManifestRawContext(ctx, raw, token)
			return err
		})
	}
	if out != nil && len(out.Errors) > 0 {
		return nil, core.Errorf(core.KindConfig, "Slack does not take the manifest: %s", manifestErrors(out.Errors))
	}
	var e *callError
	switch {
	case err == nil:
		return out, nil
	case dead(err):
		return nil, core.Wrap(core.KindAuth, err, "Slack refuses the configuration token; such tokens live for 12 hours: make a new one at api.slack.com/apps.")
	case errors.As(err, &e) && e.code != "":
		return nil, core.Wrap(core.KindConfig, err, "Slack does not take the manifest: "+e.code)
	}
	return nil, sentence(err)
}
