// Package slacktest is a Slack of our own on loopback, for tests and demos: a
// Web API with Slack's limits and errors, Socket Mode and the Events API with
// everything that goes wrong there, and people who post, press and fill in
// forms. The client is always the real one:
//
//	srv := slacktest.New(t)
//	srv.AddUser(slacktest.User{ID: "U1", Name: "ann", Email: "ann@example.com"})
//	srv.AddChannel(slacktest.Channel{ID: "C1", Name: "general", Members: []string{"U1", slacktest.BotUser}})
//	client := slack.New(slacktest.BotToken, slack.OptionAPIURL(srv.URL()), slack.OptionAppLevelToken(slacktest.AppToken))
//	// … run the bot with this client and socketmode.New(client) …
//	ts := srv.Mention("C1", "U1", "how many days of leave?")
//	srv.Eventually("an answer", func() bool { return len(srv.FromApps("C1")) > 0 })
//	answer := srv.FromApps("C1")[0]
//	srv.Click("U1", "C1", answer.TS, "Helpful")
//	fmt.Print(srv.Dump())
//
// # State
//
// AddWorkspace, AddUser, AddChannel, AddUserGroup and AddApp build the world;
// ChangeUser, ChangeChannel, SetScopes, KillToken and Install change it. A
// server without Empty has the workspace T1 and the app A1. Messages,
// Ephemerals, Home, Modal, Thread and Dump show what a person would see, with
// former versions, so that a test can tell what was readable at any time.
//
// # Time
//
// The clock runs with the real one; Clock().Advance pushes it ahead and
// Clock().Freeze stops it. On it live: time stamps, streams (dead after five
// minutes), statuses (two minutes), response_urls (30 minutes, 5 uses),
// trigger_ids (3 seconds, one use), rate limits, the wait for an ack, retries,
// and every delay of a fault. Signatures and pings use the real time, because
// slack-go compares them with it.
//
// # What goes wrong
//
// Fail makes calls of a method go wrong, before or after they took effect;
// Disturb loses, repeats, delays and reorders deliveries; PlanSockets and the
// methods of Socket refuse, mute, drop and disconnect connections; SetLimits
// turns rate limits on. Mistakes in using the server itself, such as a sender
// on a channel that does not exist, are reported by Err and fail the test of
// New when it ends.
//
// # What is known and what is taken
//
// Limits and error codes follow Slack's documentation and what projects
// measured. Where neither says, the server takes the stricter reading: texts
// count in UTF-16 units as they arrive, a reply's ts is no thread_ts, a retried
// event has a new envelope id and its old event id, an edit with a text and no
// blocks loses the blocks. An event that no socket takes within the ack timeout
// is tried again like one without ack. The text of chat.update is held to 4,000
// bytes as Slack stores it, even beside blocks; two projects found that out.
package slacktest
