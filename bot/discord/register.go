package discord

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/bwmarrin/discordgo"
)

// registered is what was told to Discord the last time.
type registered struct {
	Guild string `json:"guild"` // the scope; "" is everywhere
	Hash  string `json:"hash"`
	At    string `json:"at"`
}

func registeredKey(app string) string { return "discord commands " + app }

func (a *app) lastRegistered(ctx context.Context, app string) (registered, bool) {
	var r registered
	raw, err := a.opts.Notes.Note(ctx, registeredKey(app))
	if err != nil || json.Unmarshal([]byte(raw), &r) != nil {
		return registered{}, false
	}
	return r, true
}

// register tells Discord the commands, until that worked.
func (a *app) register(ctx context.Context) {
	for wait := a.opts.timing.first; ; wait = min(2*wait, 10*a.opts.timing.most) {
		err := a.registerOnce(ctx)
		if err == nil || ctx.Err() != nil {
			return
		}
		a.log.Warn("the commands cannot be registered; trying again", "error", err)
		if sleep(ctx, wait) != nil {
			return
		}
	}
}

// registerOnce writes the commands into their scope, if they are not the ones that
// were written before or Discord lacks some of them, and takes them out of the other one, so that nobody sees
// them twice.
func (a *app) registerOnce(ctx context.Context) error {
	list := definitions()
	hash, err := commandHash(list)
	if err != nil {
		return err
	}
	want := registered{Guild: a.config.DevGuild, Hash: hash}
	app := a.own().App
	last, known := a.lastRegistered(ctx, app)
	if known && last.Guild == want.Guild && last.Hash == want.Hash && a.hasAll(ctx, app, list) {
		return nil
	}
	if err := a.api.putCommands(ctx, app, want.Guild, list); err != nil {
		return err
	}
	var others []string
	switch {
	case known && last.Guild != want.Guild:
		others = []string{last.Guild}
	case !known && want.Guild != "":
		others = []string{""}
	case !known:
		others = slices.Clone(a.config.Guilds)
	}
	for _, guild := range others {
		err := a.api.putCommands(ctx, app, guild, nil)
		if err != nil && !shut(err) { // it may have been left
			return err
		}
	}
	want.At = time.Now().UTC().Format(time.RFC3339)
	raw, err := json.Marshal(want)
	if err != nil {
		return err
	}
	return a.opts.Notes.SetNote(ctx, registeredKey(app), string(raw))
}

// hasAll tells whether Discord still has the commands that were written: somebody
// else with the token may have replaced them. Where it does not tell, they count
// as there.
func (a *app) hasAll(ctx context.Context, app string, list []*discordgo.ApplicationCommand) bool {
	have, err := a.api.commands(ctx, app, a.config.DevGuild)
	return err != nil || missing(list, have) == ""
}

// missing is the first of the commands that Discord does not have, "" if none is.
func missing(list []*discordgo.ApplicationCommand, have []commandInfo) string {
	names := map[string]bool{}
	for _, c := range have {
		names[c.Name] = true
	}
	for _, c := range list {
		if !names[c.Name] {
			return c.Name
		}
	}
	return ""
}
