package discordtest

import "time"

// Rates as they were seen on Discord; a route without one gets 50 a second.
var (
	fiveInFive  = Rate{5, 5 * time.Second}
	oneReaction = Rate{1, 250 * time.Millisecond}
)

// routes lists the API that this server speaks.
func routes() []*route {
	return []*route{
		{name: "GET /gateway", open: true, handle: (*Server).apiGateway},
		{name: "GET /gateway/bot", handle: (*Server).apiGatewayBot},
		{name: "GET /users/@me", handle: func(s *Server, _ *call) (any, error) { return s.userJSON(BotUser), nil }},
		{name: "GET /users/@me/guilds", handle: (*Server).apiMyGuilds},
		{name: "DELETE /users/@me/guilds/{guild}", handle: (*Server).apiLeaveGuild},
		{name: "GET /users/{user}", handle: (*Server).apiUser},
		{name: "POST /users/@me/channels", handle: (*Server).apiOpenDM},
		{name: "GET /applications/@me", handle: func(s *Server, _ *call) (any, error) { return s.appJSON(), nil }},
		{name: "GET /oauth2/applications/@me", handle: func(s *Server, _ *call) (any, error) { return s.appJSON(), nil }},

		{name: "GET /guilds/{guild}", handle: (*Server).apiGuild},
		{name: "GET /guilds/{guild}/roles", handle: (*Server).apiRoles},
		{name: "GET /guilds/{guild}/channels", handle: (*Server).apiGuildChannels},
		{name: "GET /guilds/{guild}/members", handle: (*Server).apiMembers},
		{name: "GET /guilds/{guild}/members/{user}", handle: (*Server).apiMember},
		{name: "GET /guilds/{guild}/threads/active", handle: (*Server).apiActiveThreads},

		{name: "GET /channels/{channel}", handle: (*Server).apiChannel},
		{name: "PATCH /channels/{channel}", handle: (*Server).apiChangeChannel},
		{name: "POST /channels/{channel}/typing", rate: fiveInFive, handle: (*Server).apiTyping},
		{name: "GET /channels/{channel}/messages", rate: fiveInFive, handle: (*Server).apiMessages},
		{name: "POST /channels/{channel}/messages", rate: fiveInFive, handle: (*Server).apiSend},
		{name: "GET /channels/{channel}/messages/{message}", rate: fiveInFive, handle: (*Server).apiMessage},
		{name: "PATCH /channels/{channel}/messages/{message}", rate: fiveInFive, handle: (*Server).apiEdit},
		{name: "DELETE /channels/{channel}/messages/{message}", rate: Rate{5, time.Second}, handle: (*Server).apiDelete},
		{name: "PUT /channels/{channel}/messages/{message}/reactions/{emoji}/@me", bucket: "reactions", rate: oneReaction, handle: (*Server).apiReact},
		{name: "DELETE /channels/{channel}/messages/{message}/reactions/{emoji}/{user}", bucket: "reactions", rate: oneReaction, handle: (*Server).apiUnreact},
		{name: "GET /channels/{channel}/messages/{message}/reactions/{emoji}", handle: (*Server).apiReactions},

		{name: "POST /channels/{channel}/messages/{message}/threads", handle: (*Server).apiThreadFrom},
		{name: "POST /channels/{channel}/threads", handle: (*Server).apiThread},
		{name: "GET /channels/{channel}/threads/archived/public", handle: (*Server).apiArchived},
		{name: "GET /channels/{channel}/threads/archived/private", handle: (*Server).apiArchived},
		{name: "GET /channels/{channel}/thread-members", handle: (*Server).apiThreadMembers},
		{name: "GET /channels/{channel}/thread-members/{user}", handle: (*Server).apiThreadMember},
		{name: "PUT /channels/{channel}/thread-members/{user}", handle: (*Server).apiJoinThread},
		{name: "DELETE /channels/{channel}/thread-members/{user}", handle: (*Server).apiLeaveThread},

		{name: "GET /applications/{app}/commands", handle: (*Server).apiCommands},
		{name: "PUT /applications/{app}/commands", handle: (*Server).apiSetCommands},
		{name: "POST /applications/{app}/commands", handle: (*Server).apiAddCommand},
		{name: "GET /applications/{app}/commands/{command}", handle: (*Server).apiCommand},
		{name: "PATCH /applications/{app}/commands/{command}", handle: (*Server).apiEditCommand},
		{name: "DELETE /applications/{app}/commands/{command}", handle: (*Server).apiDeleteCommand},
		{name: "GET /applications/{app}/guilds/{guild}/commands", handle: (*Server).apiCommands},
		{name: "PUT /applications/{app}/guilds/{guild}/commands", handle: (*Server).apiSetCommands},
		{name: "POST /applications/{app}/guilds/{guild}/commands", handle: (*Server).apiAddCommand},
		{name: "GET /applications/{app}/guilds/{guild}/commands/{command}", handle: (*Server).apiCommand},
		{name: "PATCH /applications/{app}/guilds/{guild}/commands/{command}", handle: (*Server).apiEditCommand},
		{name: "DELETE /applications/{app}/guilds/{guild}/commands/{command}", handle: (*Server).apiDeleteCommand},

		{name: "POST /interactions/{id}/{token}/callback", open: true, interaction: true, handle: (*Server).apiCallback},
		{name: "POST /webhooks/{app}/{token}", open: true, interaction: true, rate: fiveInFive, handle: (*Server).apiFollowUp},
		{name: "GET /webhooks/{app}/{token}/messages/{message}", open: true, interaction: true, rate: fiveInFive, handle: (*Server).apiHookMessage},
		{name: "PATCH /webhooks/{app}/{token}/messages/{message}", open: true, interaction: true, rate: fiveInFive, handle: (*Server).apiHookEdit},
		{name: "DELETE /webhooks/{app}/{token}/messages/{message}", open: true, interaction: true, rate: fiveInFive, handle: (*Server).apiHookDelete},
	}
}

func (s *Server) apiGateway(*call) (any, error) { return object{"url": s.GatewayURL()}, nil }

func (s *Server) apiGatewayBot(*call) (any, error) {
	return object{"url": s.GatewayURL(), "shards": 1, "session_start_limit": object{"total": 1000, "remaining": max(0, 1000-s.identifies),
		"reset_after": int((24 * time.Hour).Milliseconds()), "max_concurrency": 1}}, nil
}
