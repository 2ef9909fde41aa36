//go:build !unix

package cli

// freeBytes is not known here.
func freeBytes(string) (free int64, known bool) { return 0, false }
