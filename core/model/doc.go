// Package model talks to one language model behind any endpoint that speaks
// the OpenAI chat wire. It streams, assembles parallel tool calls, retries
// while nothing has been shown yet, and turns every failure into a sentence
// that names the setting to look at.
package model
