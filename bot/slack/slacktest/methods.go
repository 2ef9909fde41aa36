package slacktest

// Calls a minute of Slack's tiers, and of the methods that have their own.
const (
	tier1 = 1
	tier2 = 20
	tier3 = 50
	tier4 = 100
	often = 600 // auth.test and the like
)

// methods is the whole Web API of this server.
func methods() map[string]method {
	return map[string]method{
		"auth.test":             {"", botToken, often, (*call).authTest},
		"apps.connections.open": {"connections:write", appToken, tier2, (*call).connectionsOpen},
		"bots.info":             {"users:read", botToken, tier3, (*call).botsInfo},
		"team.info":             {"team:read", botToken, tier3, (*call).teamInfo},

		"conversations.info":    {"", botToken, tier3, (*call).conversationsInfo},
		"conversations.members": {"", botToken, tier4, (*call).conversationsMembers},
		"conversations.list":    {"", botToken, tier2, (*call).conversationsList},
		"users.conversations":   {"", botToken, tier3, (*call).usersConversations},
		"conversations.open":    {"im:write,mpim:write", botToken, tier3, (*call).conversationsOpen},
		"conversations.join":    {"channels:join", botToken, tier3, (*call).conversationsJoin},
		"conversations.leave":   {"", botToken, tier3, (*call).conversationsLeave},
		"conversations.history": {"", botToken, tier3, (*call).conversationsHistory},
		"conversations.replies": {"", botToken, tier3, (*call).conversationsReplies},

		"users.info":            {"users:read", botToken, tier4, (*call).usersInfo},
		"users.list":            {"users:read", botToken, tier2, (*call).usersList},
		"users.lookupByEmail":   {"users:read.email", botToken, tier3, (*call).usersLookupByEmail},
		"usergroups.list":       {"usergroups:read", botToken, tier2, (*call).usergroupsList},
		"usergroups.users.list": {"usergroups:read", botToken, tier2, (*call).usergroupsUsersList},

		"chat.postMessage":   {"chat:write", botToken, tier4 * 6, (*call).postMessage},
		"chat.update":        {"chat:write", botToken, tier3, (*call).updateMessage},
		"chat.delete":        {"chat:write", botToken, tier3, (*call).deleteMessage},
		"chat.postEphemeral": {"chat:write", botToken, tier4, (*call).postEphemeral},
		"chat.getPermalink":  {"", botToken, often, (*call).getPermalink},
		"chat.startStream":   {"chat:write", botToken, tier2, (*call).startStream},
		"chat.appendStream":  {"chat:write", botToken, 180, (*call).appendStream},
		"chat.stopStream":    {"chat:write", botToken, tier2, (*call).stopStream},
		"reactions.add":      {"reactions:write", botToken, tier3, (*call).reactionsAdd},
		"reactions.remove":   {"reactions:write", botToken, tier2, (*call).reactionsRemove},

		"assistant.threads.setStatus":           {"assistant:write,chat:write", botToken, often, (*call).setStatus},
		"assistant.threads.setTitle":            {"assistant:write", botToken, often, (*call).setTitle},
		"assistant.threads.setSuggestedPrompts": {"assistant:write", botToken, often, (*call).setPrompts},
		"agents.sessions.setStatus":             {"chat:write", botToken, tier3, (*call).setSession},
		"agents.sessions.rename":                {"chat:write", botToken, tier3, (*call).renameSession},

		"views.open":    {"", botToken, tier4, (*call).viewsOpen},
		"views.push":    {"", botToken, tier4, (*call).viewsPush},
		"views.update":  {"", botToken, tier4, (*call).viewsUpdate},
		"views.publish": {"", botToken, tier4, (*call).viewsPublish},

		"files.getUploadURLExternal":   {"files:write", botToken, tier4, (*call).filesGetUploadURL},
		"files.completeUploadExternal": {"files:write", botToken, tier4, (*call).filesCompleteUpload},
		"files.delete":                 {"files:write", botToken, tier3, (*call).filesDelete},
		"files.info":                   {"files:read", botToken, tier4, (*call).filesInfo},

		"apps.manifest.create":   {"", configToken, tier1 * 10, (*call).manifestCreate},
		"apps.manifest.validate": {"", configToken, tier3, (*call).manifestValidate},
		"apps.manifest.update":   {"", configToken, tier2, (*call).manifestUpdate},
		"apps.manifest.export":   {"", configToken, tier3, (*call).manifestExport},
	}
}
