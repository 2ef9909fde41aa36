// Package plugintest holds a connector against what Footnote expects of one. It
// starts the connector as a real child process, the way Footnote does: mutual
// TLS over a socket in a private folder, nothing of the environment but what a
// connector may see, a folder of its own. It then plays a host that is curious,
// slow, impatient and at last dead.
//
// Authors in Go call Run from a test. `footnote plugin test` does the same for a
// program in any language. Every check has an id that does not change; a check
// that does not apply is skipped and says why.
//
//	func TestConnector(t *testing.T) {
//		dir := t.TempDir()
//		file := filepath.Join(dir, "a.md")
//		write := func(text string) error { return os.WriteFile(file, []byte(text), 0o600) }
//		if err := write("# One"); err != nil {
//			t.Fatal(err)
//		}
//		plugintest.Run(t, plugintest.Case{
//			New:    func() sdk.Source { return &notes{Dir: dir} },
//			Touch:  func() error { return write("# Two") },
//			Remove: func() error { return os.Remove(file) },
//		})
//	}
package plugintest
