//go:build !linux

package index

import "errors"

// canGiveBack is false where advice about mapped files means something else or nothing.
const canGiveBack = false

func giveBackPages([]byte) error { return errors.ErrUnsupported }
