package cli

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

const someMappings = `00400000-00500000 r-xp 00000000 fe:00 17                                 /opt/foot note
Size:               1024 kB
Anonymous:             0 kB
VmFlags: rd ex mr mw me
00500000-00600000 r--p 00100000 fe:00 17                                 /opt/foot note
Anonymous:             0 kB
00600000-00680000 r--p 00200000 fe:00 17                                 /opt/foot note
Anonymous:             4 kB
00680000-00690000 r--p 00280000 fe:00 17                                 /opt/foot note
Anonymous:             0 kB
Swap:                  4 kB
00690000-00700000 r--p 00290000 fe:00 17                                 /opt/foot note
Anonymous:             0 kB
Swap:                  0 kB
00700000-00800000 rw-p 00300000 fe:00 17                                 /opt/foot note
Anonymous:             0 kB
00800000-00900000 r--p 00000000 fe:00 18                                 /lib/libc.so
Anonymous:             0 kB
00900000-00a00000 rw-p 00000000 00:00 0
Anonymous:          1024 kB
7f0000000000-7f0000001000 r--p 00000000 fe:00 17                         /opt/foot note
`

func TestMappingsOfTheProgram(t *testing.T) {
	got, err := readOnly(strings.NewReader(someMappings), "/opt/foot note")
	want := []mapping{
		{start: 0x400000, end: 0x500000, clean: true},
		{start: 0x500000, end: 0x600000, clean: true},
		{start: 0x600000, end: 0x680000},
		{start: 0x680000, end: 0x690000},
		{start: 0x690000, end: 0x700000, clean: true},
		{start: 0x7f0000000000, end: 0x7f0000001000}, // of which nothing is told
	}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%+v, %v", got, err)
	}
}

// TestProgramGivenBack goes on in the same program.
func TestProgramGivenBack(t *testing.T) {
	for range 3 {
		if err := giveBackProgram(); err != nil {
			t.Fatal(err)
		}
		if !regexp.MustCompile(`^a+b$`).MatchString("aaab") {
			t.Error("the program is another one")
		}
	}
}
