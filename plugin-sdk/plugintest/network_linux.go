package plugintest

import (
	"context"
	"os"
	"os/exec"
	"syscall"

	"github.com/footnote-bot/footnote/plugin-sdk/launch"
)

// ownNetwork starts a command in a network namespace of its own. Sockets in
// folders reach across; nothing else does. It needs a user namespace, in which
// the user stays who they are.
func ownNetwork(cmd *exec.Cmd) {
	launch.OwnGroup(cmd)
	cmd.SysProcAttr.Cloneflags = syscall.CLONE_NEWUSER | syscall.CLONE_NEWNET
	cmd.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{ContainerID: os.Getuid(), HostID: os.Getuid(), Size: 1}}
	cmd.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{ContainerID: os.Getgid(), HostID: os.Getgid(), Size: 1}}
}

// networksCanBeMade tries it out: many systems and containers forbid it.
func networksCanBeMade(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, "/bin/sh", "-c", ":")
	ownNetwork(cmd)
	return cmd.Run() == nil
}
