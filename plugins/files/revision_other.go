//go:build !linux && !darwin

package files

import "io/fs"

const nonblock = 0

// changed is not known on this system.
func changed(fs.FileInfo) int64 { return 0 }
