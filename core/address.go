package core

import (
	"net/url"
	"strings"
)

// ShareableURL is a document's address as it may be shown: without user name and
// password, and without parameters that open it for whoever has the address, such
// as signatures and tokens. An address that cannot be read loses all behind its
// question mark. What is left opens with the reader's own rights, or not at all.
func ShareableURL(raw string) string {
	u, err := url.Parse(raw)
	if err != nil {
		head, _, _ := strings.Cut(raw, "?")
		head, _, _ = strings.Cut(head, "#")
		if scheme, rest, ok := strings.Cut(head, "//"); ok && strings.Contains(rest, "@") {
			return scheme + "//" + rest[strings.LastIndexByte(rest, '@')+1:]
		}
		return head
	}
	query, cut := withoutKeys(u.RawQuery)
	fragment, cutToo := u.EscapedFragment(), false
	if strings.Contains(fragment, "=") {
		fragment, cutToo = withoutKeys(fragment)
	}
	if !cut && !cutToo && u.User == nil {
		return raw // as it was written
	}
	u.User, u.RawQuery = nil, query
	u.ForceQuery = u.ForceQuery && query != ""
	if cutToo {
		u.Fragment, u.RawFragment = "", ""
		if fragment != "" {
			return u.String() + "#" + fragment
		}
	}
	return u.String()
}

// withoutKeys leaves the parameters out that open something by themselves, and
// keeps the others as they are.
func withoutKeys(query string) (left string, cut bool) {
	if query == "" {
		return "", false
	}
	var kept []string
	for _, part := range strings.FieldsFunc(query, func(r rune) bool { return r == '&' || r == ';' }) {
		name, value, _ := strings.Cut(part, "=")
		if opensByItself(unescaped(name), unescaped(value)) {
			cut = true
			continue
		}
		kept = append(kept, part)
	}
	return strings.Join(kept, "&"), cut
}

func unescaped(s string) string {
	if plain, err := url.QueryUnescape(s); err == nil {
		return plain
	}
	return s
}

var (
	keyWords = []string{"token", "signature", "secret", "password", "passwd", "credential", "apikey", "accesskey", "authkey", "sessionid"}
	keyNames = []string{"sig", "auth", "authorization", "jwt", "sid", "pwd", "hmac", "keypairid", "policy", "expires", "bearer", "ticket"}
)

// opensByItself tells whether a parameter looks like a key rather than like a
// part of the address.
func opensByItself(name, value string) bool {
	name = strings.NewReplacer("-", "", "_", "", ".", "").Replace(strings.ToLower(name))
	if strings.HasPrefix(name, "xamz") || strings.HasPrefix(name, "xgoog") {
		return true
	}
	for _, word := range keyWords {
		if strings.Contains(name, word) {
			return true
		}
	}
	for _, exact := range keyNames {
		if name == exact {
			return true
		}
	}
	return strings.HasPrefix(value, "eyJ") && strings.Count(value, ".") == 2 || strings.HasPrefix(value, "xox")
}
