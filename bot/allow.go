package bot

import (
	"context"
	"strings"

	"github.com/footnote-bot/footnote/core"
)

// ErrNotListed is why there is no answer where the owner listed who may ask. It is
// for the asker alone.
var ErrNotListed = core.Errorf(core.KindDenied, "Who may ask me here is limited, and you are not among them. Ask who runs Footnote.")

// Crowds is what a Platform may know besides: who is in its groups and roles.
type Crowds interface {
	// InCrowd tells whether the account is in a user group or has a role, by id,
	// handle or name. What was known before counts where it cannot be found out;
	// a group that does not exist holds nobody.
	InCrowd(ctx context.Context, account core.Account, group string) (bool, error)
}

// Listed tells whether a list names the person or the account: by the address of
// the person, which is trusted, by the id of the account, or by its key. What is
// left are the entries that may be groups.
func Listed(list []string, account core.Account, viewer core.Viewer) (yes bool, groups []string) {
	for _, entry := range list {
		entry = strings.TrimSpace(entry)
		name := strings.Trim(entry, "<@!>")
		switch {
		case entry == "":
		case IsAddress(entry):
			yes = yes || strings.EqualFold(entry, viewer.Email)
		case account.ID != "" && (name == account.ID || strings.EqualFold(entry, account.Key())):
			yes = true
		default:
			groups = append(groups, entry)
		}
	}
	return yes, groups
}

// IsAddress tells an e-mail address from the name of a group, which may begin
// with @.
func IsAddress(entry string) bool { return strings.Contains(strings.Trim(entry, "<@!&>"), "@") }

// admit is nil for who may ask in the place.
func (f *Front) admit(ctx context.Context, s Settings, in Incoming, viewer core.Viewer) error {
	if s.Allow == nil {
		return nil
	}
	yes, groups := Listed(s.Allow, in.Account, viewer)
	if yes {
		return nil
	}
	p, _ := f.platform(in.Place.Platform)
	crowds, ok := p.(Crowds)
	if !ok {
		return ErrNotListed
	}
	for _, g := range groups {
		in, err := crowds.InCrowd(ctx, in.Account, g)
		if err != nil {
			return core.Wrap(core.KindUnavailable, err, "It cannot be found out at the moment whether you may ask here. Please try again.")
		}
		if in {
			return nil
		}
	}
	return ErrNotListed
}
