package prompts

import (
	"fmt"
	"strings"
)

// The texts below stand in tool results, where a call did not bring what the
// model wanted. Each says what to do next.

// UnknownTool answers a call to a tool that does not exist.
func UnknownTool(name string, valid []string) string {
	if len(valid) == 0 {
		return fmt.Sprintf("There is no tool %q, and no other tool is left. Answer from what you have.", name)
	}
	return fmt.Sprintf("There is no tool %q. The tools are: %s.", name, strings.Join(valid, ", "))
}

// BadArguments answers a call whose arguments are not the JSON that was asked
// for. The problem says what is wrong and where.
func BadArguments(tool, problem, example string) string {
	return fmt.Sprintf("The arguments of %s could not be read: %s. Send one JSON object like %s.", tool, problem, example)
}

// ToolFailed answers a call that failed. The reason is a sentence.
func ToolFailed(tool, reason string) string {
	return fmt.Sprintf("%s failed: %s Try once more in another way, or answer from what you have.", tool, reason)
}

// ToolTimeout answers a call that took too long.
func ToolTimeout(tool string, seconds int) string {
	return fmt.Sprintf("%s did not finish within %d seconds and was stopped. Ask for less, or answer from what you have.", tool, seconds)
}

// RepeatedCall answers a call that was already made in this turn.
func RepeatedCall(tool string) string {
	return fmt.Sprintf("You already called %s with the same arguments; its result stands above. Use it, or ask for something else.", tool)
}

// CallTooLong answers a call whose arguments are longer than what is read, in
// bytes.
func CallTooLong(tool string, bytes int) string {
	return fmt.Sprintf("%s was not run: its arguments are too long (at most %d bytes, and less where the context is small). Send shorter ones.", tool, bytes)
}

// CallsLeftOut is the note of the last call that was run of a reply with too
// many.
func CallsLeftOut(n int) string {
	return fmt.Sprintf("%d further calls of this reply were not run: too many at once. Make fewer.", n)
}

// NothingFound is the note of a search without results.
func NothingFound() string {
	return "No document fits these queries. Try other words, or say that nothing was found."
}

// Missed is the note of a search for which some sources did not answer.
func Missed(sources []string) string {
	names := strings.Join(sources, ", ")
	if len(sources) > 1 {
		return fmt.Sprintf("The sources %s did not answer in time, so what only they know is missing. Say so if it matters.", names)
	}
	return fmt.Sprintf("The source %s did not answer in time, so what only it knows is missing. Say so if it matters.", names)
}

// Shortened is the note of a result of which passages were left out for lack of
// room.
func Shortened(left int) string {
	return fmt.Sprintf("%d less relevant passages were left out because the context is full.", left)
}

// NoRoom stands where a whole result had to be left out.
func NoRoom() string {
	return "This result was left out because the context is full."
}

// MergedCall stands for the result of a call that was run together with another
// one.
func MergedCall(id string) string {
	return fmt.Sprintf("This call was run together with call %s; the result of both stands there.", id)
}

// TooMany is the note of a result with more documents than are read.
func TooMany(left int) string {
	return fmt.Sprintf("%d more documents were left out because the result is too large. Ask for less.", left)
}

// Clipped ends a text that is longer than what is read.
func Clipped(bytes int) string {
	return fmt.Sprintf("(cut after %d bytes because the result is too large)", bytes)
}

// NoDocument answers the opening of a document that is not there, or that this
// conversation may not know.
func NoDocument() string {
	return "There is no such document here. Use a number from a result of this turn, or search for it."
}

// NothingThere answers the opening of a document after its end.
func NothingThere(from int) string {
	return fmt.Sprintf("There is nothing from passage %d on. Read from an earlier one.", from)
}

// GoesOn is the note of a document that has more passages.
func GoesOn(from int) string {
	return fmt.Sprintf("The document goes on; read the rest with from %d.", from)
}

// NotAsked answers a call that changes something where nobody can be asked.
func NotAsked(tool string) string {
	return fmt.Sprintf("%s changes something and nobody can be asked for permission here, so it was not run. Say so, and say what you would have done.", tool)
}

// Declined answers a call that a person did not allow.
func Declined(tool string) string {
	return fmt.Sprintf("The asker did not allow %s, so it was not run. Do not call it again for this.", tool)
}

// ResultGone stands for the results of earlier turns.
func ResultGone() string {
	return "This result is no longer available. Call the tool again if you need it."
}
