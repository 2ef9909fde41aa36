package wire

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"google.golang.org/protobuf/reflect/protoreflect"
)

var update = flag.Bool("update", false, "rewrite testdata/descriptor.txt")

// The snapshot may only grow. Run with -update after adding something.
func TestDescriptorOnlyGrows(t *testing.T) {
	path := filepath.Join("testdata", "descriptor.txt")
	now := describe(File_footnote_plugin_v1_connector_proto)
	if *update {
		if err := os.WriteFile(path, []byte(strings.Join(now, "\n")+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	committed := strings.Split(strings.TrimSpace(string(data)), "\n")
	if gone := missing(committed, now); len(gone) > 0 {
		t.Errorf("the wire lost or changed what version 1 promises:\n%s", strings.Join(gone, "\n"))
	}
	if added := missing(now, committed); len(added) > 0 {
		t.Errorf("not in the snapshot yet, run go test with -update:\n%s", strings.Join(added, "\n"))
	}
}

func TestChangesAreSeen(t *testing.T) {
	now := describe(File_footnote_plugin_v1_connector_proto)
	for name, promised := range map[string]string{
		"removed":    "field footnote.plugin.v1.Document 99 nothing: optional string",
		"renumbered": "field footnote.plugin.v1.Document 2 id: optional string",
		"retyped":    "field footnote.plugin.v1.Document 1 id: optional bytes",
		"rpc":        "rpc footnote.plugin.v1.Connector.Sync(footnote.plugin.v1.SyncRequest) footnote.plugin.v1.SyncEvent",
	} {
		if len(missing([]string{promised}, now)) != 1 {
			t.Errorf("%s: %q passes for present", name, promised)
		}
	}
}

func missing(want, have []string) []string {
	set := make(map[string]bool, len(have))
	for _, line := range have {
		set[line] = true
	}
	var out []string
	for _, line := range want {
		if !set[line] {
			out = append(out, line)
		}
	}
	return out
}

func describe(file protoreflect.FileDescriptor) []string {
	out := []string{"package " + string(file.Package())}
	for i := range file.Services().Len() {
		methods := file.Services().Get(i).Methods()
		for j := range methods.Len() {
			m := methods.Get(j)
			stream := ""
			if m.IsStreamingServer() {
				stream = "stream "
			}
			out = append(out, fmt.Sprintf("rpc %s(%s) %s%s", m.FullName(), m.Input().FullName(), stream, m.Output().FullName()))
		}
	}
	for i := range file.Messages().Len() {
		out = append(out, describeMessage(file.Messages().Get(i))...)
	}
	for i := range file.Enums().Len() {
		values := file.Enums().Get(i).Values()
		for j := range values.Len() {
			v := values.Get(j)
			out = append(out, fmt.Sprintf("enum %s %d %s", file.Enums().Get(i).FullName(), v.Number(), v.Name()))
		}
	}
	return out
}

func describeMessage(m protoreflect.MessageDescriptor) []string {
	out := []string{"message " + string(m.FullName())}
	for i := range m.Fields().Len() {
		f := m.Fields().Get(i)
		out = append(out, fmt.Sprintf("field %s %d %s: %s %s", m.FullName(), f.Number(), f.Name(), f.Cardinality(), fieldType(f)))
	}
	return out
}

func fieldType(f protoreflect.FieldDescriptor) string {
	switch {
	case f.IsMap():
		return fmt.Sprintf("map<%s, %s>", f.MapKey().Kind(), fieldType(f.MapValue()))
	case f.Message() != nil:
		return string(f.Message().FullName())
	case f.Enum() != nil:
		return string(f.Enum().FullName())
	}
	return f.Kind().String()
}
