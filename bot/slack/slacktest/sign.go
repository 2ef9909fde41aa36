package slacktest

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"
)

// Sign makes the headers with which Slack signs a request of the Events API: a
// time stamp, and an HMAC-SHA256 of it and the body. Slack's clients refuse time
// stamps more than five minutes from now, which at is for.
func Sign(secret string, body []byte, at time.Time) http.Header {
	stamp := strconv.FormatInt(at.Unix(), 10)
	mac := hmac.New(sha256.New, []byte(secret))
	fmt.Fprintf(mac, "v0:%s:%s", stamp, body)
	h := http.Header{}
	h.Set("X-Slack-Request-Timestamp", stamp)
	h.Set("X-Slack-Signature", "v0="+hex.EncodeToString(mac.Sum(nil)))
	return h
}

// PostAnswer is what an app said to a request that a test made by hand.
type PostAnswer struct {
	Status int
	Body   string
}

// Post sends a body to an app's address with the headers given, from Sign or
// wrong ones, and says what came back. It is for stale and forged signatures.
func (s *Server) Post(ctx context.Context, address string, header http.Header, body []byte) (PostAnswer, error) {
	if !s.enter() {
		return PostAnswer{}, context.Canceled
	}
	defer s.wg.Done()
	h := header.Clone()
	if h.Get("Content-Type") == "" {
		h.Set("Content-Type", "application/json")
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(body))
	if err != nil {
		return PostAnswer{}, err
	}
	req.Header = h
	resp, err := s.client.Do(req)
	if err != nil {
		return PostAnswer{}, err
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(resp.Body, maxBody))
	return PostAnswer{resp.StatusCode, string(answer)}, err
}

// VerifyURL sends a signed url_verification challenge to an app's EventsURL and
// fails unless the challenge comes back, as Slack does when the address is set.
func (s *Server) VerifyURL(ctx context.Context, app string) error {
	s.mu.Lock()
	var a App
	if state, ok := s.apps[app]; ok {
		a = state.App
	}
	s.mu.Unlock()
	if a.EventsURL == "" {
		return fmt.Errorf("app %s has no EventsURL", app)
	}
	const challenge = "3eZbrw1aBm2rZgRNFdxV2595E9CY3gmdALWMmHkvFXO7tYXAYM8P"
	body := rawOf(object{"token": "verification", "challenge": challenge, "type": "url_verification"})
	answer, err := s.Post(ctx, a.EventsURL, Sign(a.SigningSecret, body, time.Now()), body)
	if err != nil {
		return err
	}
	var got struct{ Challenge string }
	if answer.Status == http.StatusOK && (answer.Body == challenge || json.Unmarshal([]byte(answer.Body), &got) == nil && got.Challenge == challenge) {
		return nil
	}
	return fmt.Errorf("%s answered the challenge with %d %q", a.EventsURL, answer.Status, answer.Body)
}
