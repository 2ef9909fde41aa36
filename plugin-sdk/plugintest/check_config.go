package plugintest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/footnote-bot/footnote/plugin-sdk/wire"
)

func configSchema(_ context.Context, s *suite) verdict {
	if _, err := readSchema(s.about.GetConfigSchema()); err != nil {
		return failed("%v", err)
	}
	return pass()
}

func configHelp(_ context.Context, s *suite) verdict {
	var bare []string
	for _, name := range s.schema.names {
		if strings.TrimSpace(s.schema.props[name].Description) == "" {
			bare = append(bare, name)
		}
	}
	if len(bare) > 0 {
		return failed("no help for %s", strings.Join(bare, ", "))
	}
	return pass()
}

func configAccepted(ctx context.Context, s *suite) verdict {
	s.config = s.subject.Config
	if s.config == nil && s.subject.configFor != nil {
		var err error
		if s.config, err = s.subject.configFor(s.about.GetConfigSchema()); err != nil {
			return failed("%v", err)
		}
	}
	if s.config == nil && len(s.schema.required) == 0 {
		s.config = json.RawMessage("{}")
	}
	_, err := s.common(ctx)
	switch {
	case errors.Is(err, errNoConfig):
		return skipped("%v", err)
	case err != nil:
		return failed("%s", told(err))
	}
	return pass()
}

func configRequired(ctx context.Context, s *suite) verdict {
	if len(s.schema.required) == 0 {
		return skipped("no field is required")
	}
	return s.refused(ctx, s.schema.required, func(string) any { return nil })
}

func configUnknown(ctx context.Context, s *suite) verdict {
	return s.refused(ctx, []string{"plugintest_no_such_field"}, func(string) any { return "x" })
}

func configType(ctx context.Context, s *suite) verdict {
	var names []string
	for _, name := range s.schema.names {
		if !s.schema.props[name].WriteOnly {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return skipped("there are no fields but secrets")
	}
	return s.refused(ctx, names, func(name string) any { return wrongFor(s.schema.props[name].Type) })
}

// mostFields is how many fields one check goes through: each takes a process.
const mostFields = 6

// refused configures one process for each field with a value that is wrong, and
// wants an error that names the field.
func (s *suite) refused(ctx context.Context, names []string, value func(string) any) verdict {
	for _, name := range names[:min(len(names), mostFields)] {
		config, err := with(s.config, name, value(name))
		if err != nil {
			return failed("%v", err)
		}
		dir, err := freshDir(s.dir)
		if err != nil {
			return failed("%v", err)
		}
		c, err := s.openIn(ctx, dir, config)
		c.close()
		if err == nil {
			return failed("the configuration %s is accepted", clip(string(config), 200))
		}
		if why := namesField(err, name); why != "" {
			return failed("%s: %s", name, why)
		}
	}
	if len(names) > mostFields {
		return passed("of the first %d fields", mostFields)
	}
	return pass()
}

// namesField tells why an error is not one about a field, "" if it is.
func namesField(err error, name string) string {
	st, ok := status.FromError(err)
	if !ok || st.Code() != codes.InvalidArgument {
		return fmt.Sprintf("want INVALID_ARGUMENT, got %s", told(err))
	}
	var fields []string
	for _, detail := range st.Details() {
		bad, _ := detail.(*errdetails.BadRequest)
		for _, v := range bad.GetFieldViolations() {
			fields = append(fields, v.GetField())
		}
	}
	if !slices.Contains(fields, name) {
		return fmt.Sprintf("the error names the fields %q in its BadRequest details: %s", fields, st.Message())
	}
	return ""
}

func configCheck(ctx context.Context, s *suite) verdict {
	c, err := s.common(ctx)
	if err != nil {
		return failed("%v", err)
	}
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	reply, err := c.client.Check(ctx, &wire.CheckRequest{})
	if err != nil {
		return failed("%s", told(err))
	}
	if w := reply.GetWarnings(); len(w) > 0 {
		return passed("with warnings: %s", strings.Join(w, "; "))
	}
	return pass()
}

// configRenew matters where the host runs the exchange: its tokens live for an
// hour.
func configRenew(ctx context.Context, s *suite) verdict {
	if s.about.GetAuth().GetKind() != wire.AuthKind_AUTH_KIND_OAUTH2 {
		return skipped("the connector does not ask for OAuth2")
	}
	c, err := s.common(ctx)
	if err != nil {
		return failed("%v", err)
	}
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	if _, err := c.client.Renew(ctx, &wire.RenewRequest{Token: s.token()}); err != nil {
		return failed("%s", told(err))
	}
	return pass()
}

// token is an access token that holds for an hour, nil where the test has none.
func (s *suite) token() *wire.Token {
	if s.subject.Token == "" && s.about.GetAuth().GetKind() != wire.AuthKind_AUTH_KIND_OAUTH2 {
		return nil
	}
	return &wire.Token{AccessToken: s.subject.Token, Expiry: timestamppb.New(time.Now().Add(time.Hour))}
}

// shortSecret is the length, in bytes, from which on a secret is looked for in
// what was printed: a shorter one may stand there by chance.
const shortSecret = 6

// configSecrets looks through what all processes printed last.
func configSecrets(_ context.Context, s *suite) verdict {
	_, secrets, err := s.schema.split(s.config)
	if err != nil {
		return failed("%v", err)
	}
	maps.DeleteFunc(secrets, func(_, value string) bool { return len(value) < shortSecret })
	if s.subject.Token != "" {
		secrets["the access token"] = s.subject.Token
	}
	if len(secrets) == 0 {
		return skipped("the test has no secret of %d characters or more", shortSecret)
	}
	for name, value := range secrets {
		for _, r := range s.heard {
			if strings.Contains(r.printed(), value) {
				return failed("%s was printed: logs are read by more people than settings", name)
			}
		}
		if strings.Contains(s.about.String(), value) {
			return failed("%s stands in what it says of itself", name)
		}
	}
	return pass()
}
