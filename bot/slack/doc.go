// Package slack is Slack as a chat platform: it takes events over Socket Mode
// or HTTP, turns them into questions, and shows the answers where they were
// asked.
//
// An App serves any number of workspaces, one bot token each. Every event goes
// the same road: acknowledged at once, read tolerantly from its raw JSON, put
// in the queue of its channel, held against the rules for what is answered
// (decide.go), given its place and its asker, and asked at the desk. What the
// desk says is shown by one goroutine for each answer, which waits for nobody
// and is waited for when the app closes.
//
// Who may read a reply is told by the place (place.go); a fact that cannot be
// learned counts as the stricter one.
package slack
