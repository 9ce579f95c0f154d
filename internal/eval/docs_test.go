package eval_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/recallerhq/recaller/internal/eval"
)

// What docs/recall.md shows is what is there: the models' prompts word for word, and a file of our own format that can
// be read.
func TestTheDocumentationIsTrue(t *testing.T) {
	t.Parallel()
	page := documentation(t)
	for name, prompt := range map[string]string{"answer": eval.AnswerPrompt, "judge": eval.JudgePrompt} {
		if !strings.Contains(page, "```\n"+prompt+"\n```") {
			t.Errorf("docs/recall.md does not print the prompt to %s", name)
		}
	}
	example := regexp.MustCompile("(?s)```json\n(.*?)```").FindStringSubmatch(page)
	if example == nil {
		t.Fatal("docs/recall.md shows no file of the native format")
	}
	cases, notes, err := read(example[1], eval.Native, eval.Reading{})
	if err != nil || notes != (eval.Notes{}) {
		t.Fatalf("the example: %v, left out %+v", err, notes)
	}
	if diff := cmp.Diff([]string{
		"maria/q1 single: call-1 / call-1:1", "maria/q2 single: call-1 / parking", "maria/q3 whole call: call-1 /",
	}, gold(cases)); diff != "" {
		t.Errorf("the example's questions (-want +got):\n%s", diff)
	}
}

func TestEveryMetricIsDocumented(t *testing.T) {
	t.Parallel()
	_, table, _ := strings.Cut(documentation(t), "### The metrics")
	table, _, _ = strings.Cut(table, "\n## ")
	depth := regexp.MustCompile(`@\d+$`)
	family := func(name string) string {
		return depth.ReplaceAllString(strings.ToLower(strings.ReplaceAll(name, " ", "_")), "@k")
	}
	told, there := map[string]bool{}, map[string]bool{}
	for _, row := range regexp.MustCompile(`(?m)^\| ([^|]+) \|`).FindAllStringSubmatch(table, -1) {
		if row[1] != "metric" {
			told[family(row[1])] = true
		}
	}
	for _, m := range eval.Metrics() {
		there[family(m.String())] = true
	}
	if diff := cmp.Diff(there, told); diff != "" {
		t.Errorf("the metrics of docs/recall.md (-there +told):\n%s", diff)
	}
}

func documentation(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "recall.md"))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
