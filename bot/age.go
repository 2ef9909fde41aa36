package bot

import "time"

// Age is how long ago a document was last changed, for the line that names it: a
// phrase in English, in which %d stands where a number has to be put, and that
// number. The phrase is one of Ages, which platforms may translate; it is empty
// where it is not known when the document was changed. What lies ahead counts as
// today: clocks differ.
func Age(updated, now time.Time) (phrase string, n int) {
	if updated.IsZero() {
		return "", 0
	}
	switch days := int(dayOf(now).Sub(dayOf(updated)) / (24 * time.Hour)); {
	case days < 1:
		return "updated today", 0
	case days == 1:
		return "updated yesterday", 0
	case days < 14:
		return "updated %d days ago", days
	case days < 61:
		return "updated %d weeks ago", days / 7
	case days < 2*365:
		return "updated %d months ago", days * 12 / 365
	default:
		return "updated %d years ago", days / 365
	}
}

// Ages are the phrases that Age uses. Their numbers are never one.
func Ages() []string {
	return []string{
		"updated today", "updated yesterday", "updated %d days ago", "updated %d weeks ago", "updated %d months ago",
		"updated %d years ago",
	}
}

func dayOf(t time.Time) time.Time { return t.UTC().Truncate(24 * time.Hour) }
