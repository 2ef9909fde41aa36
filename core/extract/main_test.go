package extract

import (
	"context"
	"fmt"
	"os"
	"testing"
	"time"
)

// TestMain lets the test binary stand in for the footnote binary: started with
// one of these words it is a child and runs no tests.
func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == "extract" {
		os.Exit(childRole())
	}
	os.Exit(m.Run())
}

// childRole acts as the name of the executable asks: tests link the binary
// under other names to get children that misbehave.
func childRole() int {
	switch role(os.Args[0]) {
	case "silent": // never gets ready
		time.Sleep(time.Hour)
	case "hanging", "lying", "flooding":
		return misbehave(role(os.Args[0]))
	}
	if err := RunChild(context.Background(), os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}
