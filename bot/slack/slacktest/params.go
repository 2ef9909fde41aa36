package slacktest

import (
	"encoding/json"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strconv"
	"strings"
)

// params are the arguments of one call, from a form, a JSON body or the query.
type params map[string]any

// readParams reads the arguments and the token, which a form may carry as a
// field and JSON only in the header.
func readParams(r *http.Request) (params, string, error) {
	raw, err := io.ReadAll(io.LimitReader(r.Body, maxBody))
	if err != nil {
		return nil, "", err
	}
	p := params{}
	p.addForm(r.URL.Query())
	kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	switch {
	case kind == "application/json" && len(raw) > 0:
		if err := json.Unmarshal(raw, &p); err != nil {
			return nil, "", err
		}
	case kind == "application/x-www-form-urlencoded":
		form, err := url.ParseQuery(string(raw))
		if err != nil {
			return nil, "", err
		}
		p.addForm(form)
	}
	secret := bearer(r)
	if secret == "" {
		secret = p.str("token")
	}
	delete(p, "token")
	return p, secret, nil
}

func (p params) addForm(form url.Values) {
	for k, v := range form {
		p[k] = v[0]
	}
}

// str is an argument as text; what is no scalar gives its JSON.
func (p params) str(key string) string {
	switch v := p[key].(type) {
	case nil:
		return ""
	case string:
		return v
	case bool:
		return strconv.FormatBool(v)
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	default:
		raw, err := json.Marshal(v)
		if err != nil {
			return ""
		}
		return string(raw)
	}
}

func (p params) has(key string) bool { return p.str(key) != "" }

func (p params) flag(key string) bool {
	v := p.str(key)
	return v == "true" || v == "1"
}

// number is an argument as a whole number, otherwise when it is missing.
func (p params) number(key string, otherwise int) int {
	if n, err := strconv.Atoi(p.str(key)); err == nil {
		return n
	}
	return otherwise
}

func (p params) words(key string) []string {
	return strings.FieldsFunc(p.str(key), func(r rune) bool { return r == ',' || r == ' ' })
}

// decode reads an argument that is JSON, whether it came as text in a form or
// as part of a JSON body. It reports whether the argument was there.
func (p params) decode(key string, into any) (bool, error) {
	text := p.str(key)
	if text == "" {
		return false, nil
	}
	if err := json.Unmarshal([]byte(text), into); err != nil {
		return true, fmt.Errorf("%s is no JSON: %w", key, err)
	}
	return true, nil
}

func (p params) clone() map[string]string {
	out := map[string]string{}
	for k := range p {
		out[k] = p.str(k)
	}
	return out
}
