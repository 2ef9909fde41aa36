package slacktest

import "fmt"

func (c *call) authTest() (object, error) {
	if c.in == nil {
		return object{"app_id": c.token.app.ID, "app_name": c.token.app.Name}, nil
	}
	w := c.workspaces[c.in.team]
	if w == nil {
		return nil, refuse("account_inactive")
	}
	o := object{"url": fmt.Sprintf("https://%s.slack.com/", w.Domain), "team": w.Name, "team_id": w.ID,
		"user": c.users[c.in.bot].Name, "user_id": c.in.bot, "bot_id": c.in.botID, "is_enterprise_install": false}
	if w.Enterprise != "" {
		o["enterprise_id"] = w.Enterprise
	}
	return o, nil
}

func (c *call) botsInfo() (object, error) {
	id := or(c.str("bot"), c.in.botID)
	for _, key := range sortedKeys(c.apps) {
		for _, in := range c.apps[key].installs {
			if in.botID == id {
				return object{"bot": object{"id": in.botID, "deleted": false, "name": in.app.Name, "user_id": in.bot,
					"app_id": in.app.ID, "updated": created, "icons": object{}}}, nil
			}
		}
	}
	for _, key := range sortedKeys(c.users) {
		if u := c.users[key]; u.Bot && u.BotID == id {
			return object{"bot": object{"id": id, "deleted": u.Deleted, "name": u.Name, "user_id": u.ID, "updated": created}}, nil
		}
	}
	return nil, refuse("bot_not_found")
}

func (c *call) teamInfo() (object, error) {
	w := c.workspaces[or(c.str("team"), c.in.team)]
	if w == nil {
		return nil, refuse("team_not_found")
	}
	return object{"team": object{"id": w.ID, "name": w.Name, "domain": w.Domain, "email_domain": w.EmailDomain,
		"icon": object{"image_default": true}, "enterprise_id": w.Enterprise}}, nil
}

// connectionsOpen gives the address of a socket, good for one connection.
func (c *call) connectionsOpen() (object, error) {
	if c.token.app.EventsURL != "" {
		return nil, refuse("socket_mode_disabled")
	}
	if c.open(c.token.app.ID) >= maxSockets {
		return nil, refuse("too_many_websockets")
	}
	ticket := c.nextID("ticket")
	c.tickets[ticket] = c.token
	return object{"url": fmt.Sprintf("ws://%s/link?ticket=%s&app_id=%s", c.listener.Addr(), ticket, c.token.app.ID)}, nil
}
