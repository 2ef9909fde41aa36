//go:build unix

package cli

import "golang.org/x/sys/unix"

// freeBytes is how much this user may still write to the disk of a folder.
func freeBytes(dir string) (free int64, known bool) {
	var st unix.Statfs_t
	if err := unix.Statfs(dir, &st); err != nil {
		return 0, false
	}
	return int64(st.Bavail) * int64(st.Bsize), true //nolint:unconvert // their types differ between systems
}
