package config

import (
	"strings"
	"testing"
)

func TestRetrieval(t *testing.T) {
	c, err := load(t, "retrieval: {planning: off, selection: always}\n", nil)
	if err != nil || c.Retrieval != (Retrieval{Planning: "off", Selection: "always"}) {
		t.Errorf("%+v, %v", c.Retrieval, err)
	}
	_, err = load(t, "retrieval: {selection: sometimes}\n", nil)
	if err == nil || !strings.Contains(err.Error(), `retrieval.selection: "sometimes" is none of auto, always, off`) {
		t.Errorf("error %v", err)
	}
}
