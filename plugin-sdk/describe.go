package sdk

import (
	"context"

	"github.com/footnote-bot/footnote/plugin-sdk/wire"
)

// Describe tells what the connector is. It works before Configure.
func (s *server) Describe(context.Context, *wire.DescribeRequest) (*wire.DescribeReply, error) {
	out := &wire.DescribeReply{
		Name: s.name, Version: s.version, SdkVersion: Version,
		ConfigSchema: schemaOf(s.fields), Features: featuresOf(s.src),
	}
	if h, ok := s.src.(Helper); ok {
		out.Help = valid(h.Help())
	}
	if l, ok := s.src.(Limited); ok {
		for _, limit := range l.Limits() {
			out.RateLimits = append(out.RateLimits, limit.wire())
		}
	}
	if a, ok := s.src.(Authorizer); ok {
		out.Auth = a.AuthMethod().wire()
	}
	return out, nil
}

// featuresOf names the optional parts that the value has.
func featuresOf(src Source) []string {
	_, check := src.(Checker)
	_, list := src.(Lister)
	_, fetch := src.(Fetcher)
	_, grants := src.(Granter)
	_, search := src.(Searcher)
	_, tools := src.(Toolbox)
	_, censor := src.(Censor)
	var out []string
	for _, f := range []struct {
		name string
		has  bool
	}{
		{wire.FeatureCheck, check}, {wire.FeatureList, list}, {wire.FeatureFetch, fetch}, {wire.FeatureGrants, grants},
		{wire.FeatureSearch, search}, {wire.FeatureTools, tools}, {wire.FeatureCensor, censor},
	} {
		if f.has {
			out = append(out, f.name)
		}
	}
	return out
}
