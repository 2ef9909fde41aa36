package slacktest

import (
	"encoding/json"
	"fmt"
	"slices"
)

func (c *call) readManifest() (json.RawMessage, error) {
	raw := json.RawMessage(c.str("manifest"))
	if len(raw) == 0 {
		return nil, refuse("invalid_arguments", "missing required field: manifest")
	}
	if bad := checkManifest(raw); len(bad) > 0 {
		return nil, &refusal{code: "invalid_manifest", extra: object{"errors": bad}}
	}
	return raw, nil
}

func (c *call) manifestValidate() (object, error) {
	_, err := c.readManifest()
	return nil, err
}

func (c *call) manifestCreate() (object, error) {
	raw, err := c.readManifest()
	if err != nil {
		return nil, err
	}
	m := &manifest{id: c.nextID("A"), text: raw}
	c.manifests[m.id] = m
	return object{"app_id": m.id, "oauth_authorize_url": "https://slack.com/oauth/v2/authorize?client_id=1." + m.id,
		"credentials": object{"client_id": "1." + m.id, "client_secret": "secret-" + m.id, "verification_token": "verification",
			"signing_secret": fmt.Sprintf("signing-%s", m.id)}}, nil
}

func (c *call) manifestUpdate() (object, error) {
	m := c.manifests[c.str("app_id")]
	if m == nil {
		return nil, refuse("app_not_found")
	}
	raw, err := c.readManifest()
	if err != nil {
		return nil, err
	}
	var before, after manifestShape
	_ = json.Unmarshal(m.text, &before) // both were checked
	_ = json.Unmarshal(raw, &after)
	m.text = raw
	return object{"app_id": m.id, "permissions_updated": !slices.Equal(before.OAuth.Scopes.Bot, after.OAuth.Scopes.Bot)}, nil
}

func (c *call) manifestExport() (object, error) {
	m := c.manifests[c.str("app_id")]
	if m == nil {
		return nil, refuse("app_not_found")
	}
	return object{"manifest": m.text}, nil
}

// Manifest returns the manifest of an app made by apps.manifest.create.
func (s *Server) Manifest(app string) (json.RawMessage, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	m := s.manifests[app]
	if m == nil {
		return nil, false
	}
	return slices.Clone(m.text), true
}
