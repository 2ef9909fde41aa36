package slacktest

import (
	"slices"
	"time"
)

// created is when everything without a better date was made.
var created = time.Date(2026, 1, 5, 9, 0, 0, 0, time.UTC).Unix()

// userObject is a user as the Web API gives it.
func (s *Server) userObject(u *User, email bool) object {
	profile := object{
		"real_name": u.RealName, "real_name_normalized": u.RealName,
		"display_name": u.DisplayName, "display_name_normalized": u.DisplayName,
		"title": u.Title, "team": u.Team, "avatar_hash": "g0123456789a",
	}
	if email && u.Email != "" {
		profile["email"] = u.Email
	}
	if u.Bot {
		profile["bot_id"] = u.BotID
	}
	o := object{
		"id": u.ID, "team_id": u.Team, "name": u.Name, "real_name": u.RealName, "deleted": u.Deleted,
		"profile": profile, "is_bot": u.Bot, "is_app_user": u.App, "updated": created,
		"is_admin": u.Admin, "is_owner": u.Owner, "is_primary_owner": false,
		"is_restricted": u.Guest || u.SingleChannelGuest, "is_ultra_restricted": u.SingleChannelGuest,
		"is_email_confirmed": !u.Unconfirmed && !u.Bot, "color": "9f69e7",
	}
	if !u.Deleted {
		offset := 0
		if zone, err := time.LoadLocation(u.TZ); err == nil {
			_, offset = s.clock.Now().In(zone).Zone()
		}
		o["tz"], o["tz_label"], o["tz_offset"], o["locale"] = u.TZ, u.TZ, offset, u.Locale
	}
	if u.Stranger {
		o["is_stranger"] = true
	}
	if u.Enterprise != "" {
		o["enterprise_user"] = object{"id": u.ID, "enterprise_id": u.Enterprise, "teams": []string{u.Team}}
	}
	return o
}

// channelObject is a conversation as the install in sees it.
func (s *Server) channelObject(c *Channel, in *install) object {
	o := object{
		"id": c.ID, "created": created, "creator": c.Creator, "is_archived": c.Archived,
		"is_im": c.Kind == DirectMessage, "is_org_shared": c.OrgShared, "context_team_id": in.team,
		"updated": created * 1000,
	}
	if c.Kind == DirectMessage {
		o["user"] = other(c, in.bot)
		o["is_user_deleted"] = s.users[other(c, in.bot)] != nil && s.users[other(c, in.bot)].Deleted
		o["is_open"] = true
		return o
	}
	for k, v := range (object{
		"name": c.Name, "name_normalized": c.Name, "is_channel": c.Kind == Public, "is_group": c.Kind == Private,
		"is_mpim": c.Kind == GroupMessage, "is_private": c.Kind != Public, "is_member": c.has(in.bot),
		"is_general": c.Name == "general", "is_shared": c.ExtShared || c.OrgShared, "is_ext_shared": c.ExtShared,
		"is_pending_ext_shared": c.PendingShared, "pending_shared": []string{}, "parent_conversation": nil,
		"shared_team_ids": c.teams(), "pending_connected_team_ids": []string{},
		"topic": object{"value": c.Topic, "creator": c.Creator, "last_set": 0}, "previous_names": []string{},
		"purpose": object{"value": c.Purpose, "creator": c.Creator, "last_set": 0}, "unlinked": 0,
	}) {
		o[k] = v
	}
	if len(c.ConnectedTeams) > 0 {
		o["connected_team_ids"] = c.ConnectedTeams
		o["internal_team_ids"] = []string{c.Team}
		o["conversation_host_id"] = c.Team
	}
	return o
}

// other is the one in a direct message who is not the bot.
func other(c *Channel, bot string) string {
	for _, m := range c.Members {
		if m != bot {
			return m
		}
	}
	return ""
}

func (g *UserGroup) object(users bool) object {
	o := object{
		"id": g.ID, "team_id": g.Team, "is_usergroup": true, "is_subteam": true, "name": g.Name, "handle": g.Handle,
		"description": "", "is_external": false, "date_create": created, "date_update": created, "date_delete": 0,
		"auto_type": nil, "created_by": "USLACKBOT", "user_count": len(g.Users),
		"prefs": object{"channels": []string{}, "groups": []string{}},
	}
	if g.Disabled {
		o["date_delete"] = created
	}
	if users {
		o["users"] = slices.Clone(g.Users)
	}
	return o
}
