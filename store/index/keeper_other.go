//go:build !linux

package index

import "errors"

// canGiveBack is false where advice about mapped files means something else or nothing.
const canGiveBack = false

func giveBackPages([]byte) error { return errors.ErrUnsupported }

func mappings() ([]byte, error) { return nil, errors.ErrUnsupported }

func resident(_, _ []byte) int64 { return 0 }
