//go:build !linux

package extract

import "runtime/debug"

// limitProcess relies on the reader's own bound where the kernel has no limit
// that fits.
func limitProcess(memory int64) error {
	debug.SetMemoryLimit(memory + 384<<20)
	return nil
}
