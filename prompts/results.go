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

// NothingFound is the note of a search without results.
func NothingFound() string {
	return "No document fits these queries. Try other words, or say that nothing was found."
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
