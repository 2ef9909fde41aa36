package hushtest

import (
	"fmt"
	"io"
	"net/http"
	"strconv"
)

// signature stands in every address that a server of this package names.
const signature = "signature-of-a-marker"

const signed = "https://files.test/x?sig=" + signature

// never is the failure of which a call ends only by its own patience.
const never = "never comes"

// failures are ways in which a server fails, the secret in all that it says.
func failures(secret string) map[string]http.HandlerFunc {
	both := secret + " " + signed
	page := "<html>" + both + "</html>"
	echo := fmt.Sprintf(`{"ok":false,"error":%[1]q,"needed":%[1]q,"provided":%[1]q,"message":%[1]q,"code":1,"documentation_url":%[1]q,`+
		`"errors":[{"type":"FORBIDDEN","message":%[1]q,"resource":%[1]q,"field":%[1]q,"code":"custom"}]}`, both)
	answer := func(status int, body string) http.HandlerFunc { return answer(status, body, both) }
	out := map[string]http.HandlerFunc{
		"200 with an error":   answer(http.StatusOK, echo),
		"200 with a refusal":  answer(http.StatusOK, fmt.Sprintf(`{"ok":false,"error":"missing_scope","needed":%[1]q,"provided":%[1]q}`, both)),
		"200 with a page":     answer(http.StatusOK, page),
		"200 with half JSON":  answer(http.StatusOK, `{"ok":true,"id":"`+both),
		"200 with other JSON": answer(http.StatusOK, fmt.Sprintf(`[{"id":{%[1]q:%[1]q}}]`, both)),
		"200 with nothing":    answer(http.StatusOK, ""),
		"breaks off": func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Length", "10000")
			answer(http.StatusOK, echo)(w, r)
		},
		"hangs up":      func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
		never:           func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() },
		"no HTTP":       raw(both + "\r\n\r\n"),
		"a bad header":  raw("HTTP/1.1 200 OK\r\n" + both + "\r\n\r\n"),
		"a reason":      raw("HTTP/1.1 403 " + both + "\r\nContent-Length: 0\r\nX-" + secret + ": 1\r\n\r\n"),
		"leads away":    redirect(signed),
		"leads nowhere": redirect("http://[bad?sig=" + signature),
		"in circles": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, r.URL.Path+"?sig="+signature, http.StatusTemporaryRedirect)
		},
	}
	for _, status := range []int{400, 401, 403, 404, 410, 413, 422, 429, 451, 500, 502, 503, 504} {
		out[strconv.Itoa(status)] = answer(status, echo)
	}
	out["502 with a page"] = answer(http.StatusBadGateway, page)
	return out
}

// answer repeats the secret in headers, too, and calls for a long pause.
func answer(status int, body, both string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		for _, name := range []string{"X-Accepted-Github-Permissions", "X-Accepted-Oauth-Scopes", "X-Oauth-Scopes", "X-Github-Sso", "X-Ratelimit-Reset", "Link"} {
			w.Header().Set(name, both)
		}
		w.Header().Set("Retry-After", "3600")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

func redirect(to string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Location", to)
		w.WriteHeader(http.StatusFound)
	}
}

// raw answers what is no HTTP, or a kind of it that net/http does not write.
func raw(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			panic(fmt.Sprint("the test's server cannot be taken over: ", err))
		}
		_, _ = io.WriteString(conn, text)
		_ = conn.Close()
	}
}
