// Package discordtest is a Discord of our own on loopback, for tests and demos:
// a REST API with Discord's limits and errors, a gateway with everything that
// goes wrong there, and people who write, use commands, press and fill in forms.
// The client is always the real one:
//
//	srv := discordtest.New(t)
//	general := srv.AddChannel(discordtest.Channel{Name: "general"})
//	ann := srv.Join("ann")
//	session, _ := discordgo.New("Bot " + discordtest.Token)
//	session.Client = &http.Client{Transport: srv.Transport()}
//	session.Identify.Intents = discordgo.IntentGuilds | discordgo.IntentGuildMessages
//	// … run the bot with this session …
//	question := srv.Mention(general, ann, "how many days of leave?")
//	srv.Eventually("an answer", func() bool { return len(srv.FromBot(general)) > 0 })
//	srv.Click(ann, srv.FromBot(general)[0].ID, "Helpful")
//	fmt.Print(srv.Dump())
//
// Transport sends discord.com/api and Discord's file hosts to the server, and
// GET /gateway names the server's socket, so that no variable of discordgo is
// touched and tests can run side by side. APIURL and GatewayURL are for programs
// that take addresses.
//
// # State
//
// A server without Empty has the guild Guild ("acme") with its Owner and the bot
// BotUser of the application AppID. AddUser, Join, AddGuild, AddRole, AddMember
// and AddChannel build the world and return ids; ChangeRole, ChangeMember,
// ChangeChannel, SetOverwrite, AddToThread, RemoveMember and their like change
// it and dispatch what Discord dispatches. Effective is the computation of
// permissions, and CanView, Permissions and Viewers apply it; every call of the
// bot and every sender is held against it. Messages, FromBot, Ephemerals, Modal,
// Interaction, Dump and DumpFor show what people see, with former versions, so
// that a test can tell what was readable at any time. Posts lists everything
// that the bot sent with allowed_mentions as it came, Notified those that would
// have notified somebody.
//
// # Time
//
// The clock runs with the real one; Clock().Advance pushes it ahead and
// Clock().Freeze stops it. On it live: snowflakes, interactions (3 seconds for
// the first answer, 15 minutes for the token), edits of old messages, addresses
// of files (a day), timeouts of members, rate limits, and every delay of a
// fault. Heartbeats use the real time, and so does discordgo when it waits for a
// rate limit.
//
// # What goes wrong
//
// Fail makes calls of a route go wrong, before or after they took effect; Plan
// says how coming connections behave, the methods of Connection disturb those
// that are there, Disturb loses, repeats and delays events; SetLimits turns rate
// limits on; Future and Emit send what no client knows. Mistakes in using the
// server itself are reported by Err and fail the test of New when it ends; so is
// a call of a route that the server lacks.
//
// # What is known and what is taken
//
// Codes, limits and events follow Discord's documentation and what projects
// reported. Where neither says, the server takes the stricter reading: every
// edit of a message older than an hour fails with 30046 (a 429 without
// retry_after, which discordgo takes for "retry at once"), mentions in code
// notify, edits notify like sends, and a message is empty if only white space
// is left of it. The gateway sends JSON without compression, and one shard.
package discordtest
