package model

import (
	"cmp"
	"net/url"
	"slices"
	"strings"

	"github.com/footnote-bot/footnote/core"
)

// Support tells whether a kind of server can do something.
type Support string

// The degrees of support. Unknown means that it depends on the model, and that
// Probe finds it out.
const (
	Works   Support = "works"
	Not     Support = "not"
	Unknown Support = "unknown"
)

// Profile is what a kind of server wants, as data. What a profile does not know
// the client learns from the server's refusals.
type Profile struct {
	Name string // what model.profile says

	// How the profile is recognised: a part of the base URL's host name, or the
	// port that this server alone uses by default.
	Hosts []string
	Port  string

	NativeTools       Support
	FlattenCalls      bool   // earlier calls and their results are sent as text
	ShortIDs          bool   // ids of calls must be 9 letters and digits
	ReminderInResult  bool   // no user message may follow a tool result
	DropToolsAtEnd    bool   // tool_choice none is ignored: leave the tools out instead
	OmitStreamOptions bool   // stream_options is refused, or usage comes anyway
	MaxTokensField    string // max_tokens or max_completion_tokens
	ReasoningField    string // where thoughts come, if both known fields have text
	AuthHeader        string // header of the key; Authorization means a bearer token
	VersionQuery      bool   // the base URL may have ?api-version=…
	Window            int    // tokens that every current chat model takes in; 0 means that it differs
	Metadata          string // where the served window is told: models, ollama, llamacpp, lmstudio or "" for nowhere
}

const (
	maxTokens           = "max_tokens"
	maxCompletionTokens = "max_completion_tokens"
	bearer              = "Authorization"
)

// Profiles returns the table, in the order in which an address is compared.
// The last one suits servers that nothing is known of.
func Profiles() []Profile {
	return []Profile{
		{Name: "azure", Hosts: []string{".openai.azure.com", ".cognitiveservices.azure.com", ".services.ai.azure.com"},
			NativeTools: Works, MaxTokensField: maxCompletionTokens, AuthHeader: "api-key", VersionQuery: true},
		{Name: "openai", Hosts: []string{"api.openai.com"},
			NativeTools: Works, MaxTokensField: maxCompletionTokens, AuthHeader: bearer},
		{Name: "anthropic", Hosts: []string{"api.anthropic.com"},
			NativeTools: Works, MaxTokensField: maxTokens, AuthHeader: bearer, Window: 200_000},
		{Name: "gemini", Hosts: []string{"generativelanguage.googleapis.com", "aiplatform.googleapis.com"},
			NativeTools: Works, MaxTokensField: maxTokens, AuthHeader: bearer},
		{Name: "openrouter", Hosts: []string{"openrouter.ai"},
			NativeTools: Unknown, MaxTokensField: maxTokens, ReasoningField: "reasoning", AuthHeader: bearer, Metadata: "models"},
		{Name: "mistral", Hosts: []string{"api.mistral.ai"},
			NativeTools: Works, ShortIDs: true, ReminderInResult: true, OmitStreamOptions: true,
			MaxTokensField: maxTokens, AuthHeader: bearer, Metadata: "models"},
		{Name: "ollama", Hosts: []string{"ollama"}, Port: "11434",
			NativeTools: Unknown, DropToolsAtEnd: true,
			MaxTokensField: maxTokens, ReasoningField: "reasoning", AuthHeader: bearer, Metadata: "ollama"},
		{Name: "lmstudio", Hosts: []string{"lmstudio", "lm-studio"}, Port: "1234",
			NativeTools: Unknown, DropToolsAtEnd: true, MaxTokensField: maxTokens, AuthHeader: bearer, Metadata: "lmstudio"},
		{Name: "vllm", Hosts: []string{"vllm"},
			NativeTools: Unknown, MaxTokensField: maxTokens, ReasoningField: "reasoning", AuthHeader: bearer, Metadata: "models"},
		{Name: "llamacpp", Hosts: []string{"llamacpp", "llama-cpp", "llama.cpp"},
			NativeTools: Unknown, MaxTokensField: maxTokens, AuthHeader: bearer, Metadata: "llamacpp"},
		{Name: "generic",
			NativeTools: Unknown, MaxTokensField: maxTokens, AuthHeader: bearer},
	}
}

// ProfileFor finds the profile of the name or, if it is empty, of the address.
// Errors are of kind config and name the nearest profile.
func ProfileFor(name string, base *url.URL) (Profile, error) {
	table := Profiles()
	name = strings.ToLower(strings.TrimSpace(name))
	for _, p := range table {
		if p.Name == name || name == "" && p.matches(base) {
			return p, nil
		}
	}
	if name == "" {
		return table[len(table)-1], nil
	}
	var names []string
	for _, p := range table {
		names = append(names, p.Name)
	}
	return Profile{}, core.Errorf(core.KindConfig, "%q is not a known profile; did you mean %q? The profiles are %s",
		name, nearest(name, names)[0], strings.Join(names, ", "))
}

func (p Profile) matches(base *url.URL) bool {
	if base == nil {
		return false
	}
	host := strings.ToLower(base.Hostname())
	if slices.ContainsFunc(p.Hosts, func(part string) bool { return strings.Contains(host, part) }) {
		return true
	}
	return p.Port != "" && base.Port() == p.Port
}

// key writes the key as the header that the server reads it from.
func (p Profile) key(key string) (header, value string) {
	if p.AuthHeader == "" || p.AuthHeader == bearer {
		return bearer, "Bearer " + key
	}
	return p.AuthHeader, key
}

// nearest orders names by how few letters must change to make them the wanted
// one; a name that holds the wanted one, or the other way round, comes first.
func nearest(want string, names []string) []string {
	out := slices.Clone(names)
	want = strings.ToLower(want)
	rank := func(name string) int {
		name = strings.ToLower(name)
		if want != "" && (strings.Contains(name, want) || strings.Contains(want, name)) {
			return -1
		}
		return distance(want, name)
	}
	slices.SortStableFunc(out, func(a, b string) int { return cmp.Compare(rank(a), rank(b)) })
	return out
}

// distance counts the letters to insert, delete or replace.
func distance(a, b string) int {
	from, to := []rune(a), []rune(b)
	row := make([]int, len(to)+1)
	for j := range row {
		row[j] = j
	}
	for i, r := range from {
		diagonal := row[0]
		row[0] = i + 1
		for j, s := range to {
			cost := 1
			if r == s {
				cost = 0
			}
			diagonal, row[j+1] = row[j+1], min(row[j+1]+1, row[j]+1, diagonal+cost)
		}
	}
	return row[len(to)]
}
