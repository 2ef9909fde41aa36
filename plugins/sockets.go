package plugins

import (
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/footnote-bot/footnote/plugin-sdk/wire"
)

// youngSocket is how old a folder of a socket has to be before it may be removed: a
// connector that starts has a folder and does not listen yet.
const youngSocket = 10 * time.Minute

// sweepSockets removes what a host and a connector left in a folder that were killed
// at the same moment, so that neither could remove it for the other. Sockets that
// somebody listens on, other files and folders of other users stay.
func sweepSockets(dir string, now time.Time) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return // the next connector's folder fails in the same place, and says so
	}
	for _, e := range entries {
		info, err := e.Info()
		if err == nil && e.IsDir() && strings.HasPrefix(e.Name(), wire.SocketFolder) && now.Sub(info.ModTime()) > youngSocket {
			removeDead(filepath.Join(dir, e.Name()))
		}
	}
}

// removeDead removes sockets that nobody listens on, and the folders that are empty
// then, from the inside out.
func removeDead(around string) {
	var folders []string
	_ = filepath.WalkDir(around, func(path string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return fs.SkipDir
		case e.IsDir():
			folders = append(folders, path)
		case e.Type()&fs.ModeSocket != 0 && refused(path):
			_ = os.Remove(path) // if it stays, so do its folders
		}
		return nil
	})
	for i := len(folders) - 1; i >= 0; i-- {
		_ = os.Remove(folders[i]) // only where nothing else is in it
	}
}

// refused tells whether nobody listens on a socket.
func refused(path string) bool {
	conn, err := net.DialTimeout("unix", path, time.Second)
	if err == nil {
		_ = conn.Close()
	}
	return errors.Is(err, syscall.ECONNREFUSED)
}
