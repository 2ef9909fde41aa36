package slacktest

import "strings"

// knows tells whether the installation may see a user: of its own workspace, or
// met in a shared channel.
func (c *call) knows(u *User) bool {
	if u.Team == c.in.team {
		return true
	}
	for _, ch := range c.channels {
		if ch.has(u.ID) && ch.has(c.in.bot) {
			return true
		}
	}
	return false
}

func (c *call) usersInfo() (object, error) {
	email := c.token.can("users:read.email")
	if ids := c.words("users"); len(ids) > 0 {
		list := []object{}
		for _, id := range ids {
			if u := c.users[id]; u != nil && c.knows(u) {
				list = append(list, c.userObject(u, email))
			}
		}
		return object{"users": list}, nil
	}
	u := c.users[c.str("user")]
	switch {
	case u == nil:
		return nil, refuse("user_not_found")
	case !c.knows(u):
		return nil, refuse("user_not_visible")
	}
	return object{"user": c.userObject(u, email && !u.Stranger)}, nil
}

func (c *call) usersList() (object, error) {
	var found []*User
	for _, id := range sortedKeys(c.users) {
		if u := c.users[id]; c.knows(u) {
			found = append(found, u)
		}
	}
	found, next, err := page(c, found, 1000, 1000)
	if err != nil {
		return nil, err
	}
	members := []object{}
	for _, u := range found {
		members = append(members, c.userObject(u, c.token.can("users:read.email") && !u.Stranger))
	}
	return withCursor(object{"members": members, "cache_ts": created}, next), nil
}

func (c *call) usersLookupByEmail() (object, error) {
	email := c.str("email")
	for _, id := range sortedKeys(c.users) {
		u := c.users[id]
		if u.Team == c.in.team && !u.Deleted && u.Email != "" && strings.EqualFold(u.Email, email) {
			return object{"user": c.userObject(u, true)}, nil
		}
	}
	return nil, refuse("users_not_found")
}

func (c *call) usergroupsList() (object, error) {
	list := []object{}
	for _, g := range c.groups {
		if g.Team == c.in.team && (!g.Disabled || c.flag("include_disabled")) {
			list = append(list, g.object(c.flag("include_users")))
		}
	}
	return object{"usergroups": list}, nil
}

func (c *call) usergroupsUsersList() (object, error) {
	for _, g := range c.groups {
		if g.ID == c.str("usergroup") && g.Team == c.in.team && (!g.Disabled || c.flag("include_disabled")) {
			return object{"users": append([]string{}, g.Users...)}, nil
		}
	}
	return nil, refuse("no_such_subteam")
}
