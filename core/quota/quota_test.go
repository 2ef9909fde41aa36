package quota

import (
	"testing"
	"time"
	_ "time/tzdata" // the machine may have none
)

func zone(t *testing.T, name string) *time.Location {
	t.Helper()
	z, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	return z
}

func TestDaysAndMonths(t *testing.T) {
	for _, row := range []struct {
		name, zone, now string // now in RFC 3339
		from, to        string
		hours           float64
		month           bool
	}{
		{"a day", "UTC", "2026-05-04T15:00:00Z", "2026-05-04T00:00:00Z", "2026-05-05T00:00:00Z", 24, false},
		{"its first moment", "UTC", "2026-05-04T00:00:00Z", "2026-05-04T00:00:00Z", "2026-05-05T00:00:00Z", 24, false},
		{"its last moment", "UTC", "2026-05-03T23:59:59.999999Z", "2026-05-03T00:00:00Z", "2026-05-04T00:00:00Z", 24, false},
		{"the zone's day", "Asia/Tokyo", "2026-05-04T15:00:00Z", "2026-05-05T00:00:00+09:00", "2026-05-06T00:00:00+09:00", 24, false},
		{"a short day", "Europe/Berlin", "2026-03-29T12:00:00Z", "2026-03-29T00:00:00+01:00", "2026-03-30T00:00:00+02:00", 23, false},
		{"a long day", "Europe/Berlin", "2026-10-25T12:00:00Z", "2026-10-25T00:00:00+02:00", "2026-10-26T00:00:00+01:00", 25, false},
		{"no midnight", "America/Sao_Paulo", "2018-11-04T12:00:00Z", "2018-11-04T01:00:00-02:00", "2018-11-05T00:00:00-02:00", 23, false},
		{"before no midnight", "America/Sao_Paulo", "2018-11-03T12:00:00Z", "2018-11-03T00:00:00-03:00", "2018-11-04T01:00:00-02:00", 24, false},
		{"two midnights", "America/Havana", "2026-11-01T12:00:00Z", "2026-11-01T00:00:00-04:00", "2026-11-02T00:00:00-05:00", 25, false},
		{"a month", "Europe/Berlin", "2026-03-31T22:30:00Z", "2026-04-01T00:00:00+02:00", "2026-05-01T00:00:00+02:00", 720, true},
		{"december", "UTC", "2026-12-31T23:00:00Z", "2026-12-01T00:00:00Z", "2027-01-01T00:00:00Z", 744, true},
		{"february", "UTC", "2028-02-29T01:00:00Z", "2028-02-01T00:00:00Z", "2028-03-01T00:00:00Z", 696, true},
	} {
		t.Run(row.name, func(t *testing.T) {
			now, err := time.Parse(time.RFC3339, row.now)
			if err != nil {
				t.Fatal(err)
			}
			w := Day(now, zone(t, row.zone))
			if row.month {
				w = Month(now, zone(t, row.zone))
			}
			if from, to := w.From.Format(time.RFC3339), w.To.Format(time.RFC3339); from != row.from || to != row.to || w.To.Sub(w.From).Hours() != row.hours {
				t.Errorf("%s to %s, %v", from, to, w.To.Sub(w.From))
			}
			if now.Before(w.From) || !now.Before(w.To) {
				t.Error("now is not in it")
			}
		})
	}
}

// Days follow each other without gap or overlap in every zone that skips or repeats
// hours, so that nothing counts twice or never.
func TestDaysTouch(t *testing.T) {
	for _, name := range []string{"UTC", "Europe/Berlin", "America/Sao_Paulo", "America/Havana", "Asia/Beirut", "Pacific/Apia", "Australia/Lord_Howe"} {
		z := zone(t, name)
		at := time.Date(2011, 12, 1, 12, 0, 0, 0, time.UTC)
		w := Day(at, z)
		for range 400 {
			next := Day(w.To, z)
			if !next.From.Equal(w.To) || !next.To.After(next.From) || Day(w.To.Add(-1), z) != w {
				t.Fatalf("%s: %v and then %v", name, w, next)
			}
			w = next
		}
	}
}

func TestNeeds(t *testing.T) {
	ann := Asker{Person: "ann@example.com", Account: "slack:T1/U1", Place: "slack:T1/C1", Model: "small"}
	for _, row := range []struct {
		name  string
		limit Limit
		asker Asker
		keys  []string
	}{
		{"each user", Limit{Who: User, Questions: 1}, ann, []string{"user ann@example.com day"}},
		{"that user", Limit{Who: User, Name: "Ann@Example.com", Tokens: 1, Cost: 2}, ann, []string{"user ann@example.com day", "user ann@example.com month"}},
		{"by account", Limit{Who: User, Name: "slack:T1/U1", Cost: 1}, ann, []string{"user ann@example.com month"}},
		{"another user", Limit{Who: User, Name: "bob@example.com", Questions: 1}, ann, nil},
		{"nobody known", Limit{Who: User, Questions: 1}, Asker{Place: "dm"}, nil},
		{"each channel", Limit{Who: Channel, Questions: 1}, ann, []string{"channel slack:T1/C1 day"}},
		{"another channel", Limit{Who: Channel, Name: "slack:T1/C2", Questions: 1}, ann, nil},
		{"the model", Limit{Who: Model, Name: "small", Tokens: 1}, ann, []string{"model small day"}},
		{"another model", Limit{Who: Model, Name: "large", Tokens: 1}, ann, nil},
		{"no model", Limit{Who: Model, Tokens: 1}, Asker{Person: "x"}, nil},
		{"all", Limit{Who: All, Cost: 1}, Asker{}, []string{"all month"}},
		{"nothing limited", Limit{Who: All}, ann, nil},
	} {
		var keys []string
		for _, n := range Needs([]Limit{row.limit}, row.asker, time.Now(), time.UTC) {
			keys = append(keys, n.Key())
		}
		if len(keys) != len(row.keys) || len(keys) > 0 && (keys[0] != row.keys[0] || keys[len(keys)-1] != row.keys[len(keys)-1]) {
			t.Errorf("%s: %q, want %q", row.name, keys, row.keys)
		}
	}
}

func TestReached(t *testing.T) {
	for _, row := range []struct {
		limit   Limit
		used    Used
		monthly bool
		want    bool
	}{
		{Limit{Questions: 3}, Used{Questions: 2, Tokens: 1e9, Cost: 99}, false, false},
		{Limit{Questions: 3}, Used{Questions: 3}, false, true},
		{Limit{Questions: 3, Tokens: 10}, Used{Tokens: 10}, false, true},
		{Limit{Tokens: 10}, Used{Tokens: 9, Questions: 9}, false, false},
		{Limit{Cost: 5, Questions: 1}, Used{Questions: 9, Cost: 4.99}, true, false},
		{Limit{Cost: 5}, Used{Cost: 5}, true, true},
	} {
		if got := (Need{Limit: row.limit, monthly: row.monthly}).Reached(row.used); got != row.want {
			t.Errorf("%+v of %+v: %v", row.used, row.limit, got)
		}
	}
}

// What reading documents cost is in no one's and no channel's limits, and in none that
// is not money.
func TestWhichLimitsCountReading(t *testing.T) {
	ann := Asker{Person: "ann@example.com", Place: "slack:T1/C1", Model: "small"}
	for who, want := range map[Who][]bool{ // of the day, of the month
		User: {false, false}, Channel: {false, false}, Model: {false, true}, All: {false, true},
	} {
		needs := Needs([]Limit{{Who: who, Questions: 1, Tokens: 1, Cost: 1}}, ann, time.Now(), time.UTC)
		if len(needs) != 2 || needs[0].Reading() != want[0] || needs[1].Reading() != want[1] {
			t.Errorf("%s: %+v", who, needs)
		}
	}
}

func TestModelName(t *testing.T) {
	known := []string{"gpt-4o", "gpt-4o-mini", "llama3:8b"}
	for reported, want := range map[string]string{
		"gpt-4o": "gpt-4o", "gpt-4o-2024-08-06": "gpt-4o", "gpt-4o-mini-2024-07-18": "gpt-4o-mini", "gpt-4o-audio": "gpt-4o-audio",
		"llama3:8b": "llama3:8b", "": "", "other": "other", "gpt-4o-": "gpt-4o-",
	} {
		if got := ModelName(reported, known); got != want {
			t.Errorf("%q counts as %q, want %q", reported, got, want)
		}
	}
}
