package transcript_test

import (
	"os"
	"testing"

	"github.com/recallerhq/recaller/internal/devdata"
	"github.com/recallerhq/recaller/internal/transcript"
)

// The development data is not part of the repository. Where it is at hand (RECALLER_DEV_DATA, or shared/data beside the
// project), it must be read; the small files in testdata have its shape. Of LongMemEval 20 users are enough here, as
// the race detector makes JSON thirty times slower; BenchmarkLongMemEval reads all.

func TestTheDevelopmentDataIsRead(t *testing.T) {
	t.Parallel()
	tests := []struct {
		file                         string
		format                       transcript.Format
		callers, conversations, most int // most: turns of the longest
	}{
		{"longmemeval_s_dev.json.gz", transcript.LongMemEval, 20, 0, 0},
		{"harpervalley_sample.json", transcript.HarperValley, 8, 8, 0},
		{"primock57_dev.json", transcript.PriMock57, 20, 20, 157},
	}
	for _, test := range tests {
		t.Run(test.file, func(t *testing.T) {
			t.Parallel()
			file := open(t, test.file)
			callers, ids, turns, most := map[transcript.Caller]bool{}, map[string]bool{}, 0, 0
			for conv, err := range transcript.Parse(file, transcript.Options{Name: test.file}) {
				if err != nil {
					t.Fatal(err)
				}
				checkWhole(t, conv)
				if callers[conv.Caller] = true; len(callers) > test.callers {
					delete(callers, conv.Caller)
					break
				}
				if conv.ExternalID == "" || ids[conv.ExternalID] {
					t.Fatalf("external id %q is empty or not its own", conv.ExternalID)
				}
				ids[conv.ExternalID] = true
				turns, most = turns+len(conv.Turns), max(most, len(conv.Turns))
			}
			t.Logf("%d callers, %d conversations, %d turns", len(callers), len(ids), turns)
			if len(callers) != test.callers || len(ids) < test.conversations || len(ids) < len(callers) || turns < 5*len(ids) {
				t.Errorf("got %d callers, %d conversations, %d turns, want %d callers", len(callers), len(ids), turns, test.callers)
			}
			if test.most != 0 && most != test.most {
				t.Errorf("got a longest conversation of %d turns, want %d", most, test.most)
			}
		})
	}
}

func BenchmarkLongMemEval(b *testing.B) {
	info, err := os.Stat(devdata.Path(b, "longmemeval_s_dev.json.gz"))
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(info.Size())
	b.ReportAllocs()
	for b.Loop() {
		n := 0
		for _, err := range transcript.Parse(open(b, "longmemeval_s_dev.json.gz"), transcript.Options{}) {
			if err != nil {
				b.Fatal(err)
			}
			n++
		}
		b.ReportMetric(float64(n), "conversations/op")
	}
}

func open(t testing.TB, name string) *os.File {
	t.Helper()
	file, err := os.Open(devdata.Path(t, name))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = file.Close() })
	return file
}
