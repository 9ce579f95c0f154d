//go:build measure

package bag

import (
	"bufio"
	"cmp"
	"compress/gzip"
	"flag"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/recallerhq/recaller/internal/devdata"
	"github.com/recallerhq/recaller/internal/search/stems"
)

var update = flag.Bool("update", false, "write common.txt anew")

// amongFirst is how far down the list goes in the order of how often stems are said.
const amongFirst = 1000

// The list is what the development data's service talk gives, without what is common only in the matters that it is about
// ("cambridg", "pepperoni"): a stem has to be said in other matters too. None of it is in the set that the vectors are measured on.
// Only counts of single words leave the data.
func TestTheListOfCommonStemsIsThatOfTheData(t *testing.T) {
	var b strings.Builder
	b.WriteString(`# How common stems are in English service talk: the number is log2 of their count per million stems, rounded. Made by common_test.go
# from MultiDoGO, MultiWOZ and Taskmaster-4: of the 1000 most common stems those that NatCS, PriMock57 or HarperValley have too. A
# stem that is not listed is rare, and counts in full.
`)
	last := -1
	counts, all := countStems(t)
	for i, stem := range mostCommon(counts, saidElsewhere(t)) {
		if band := int(math.Round(math.Log2(float64(counts[stem]) * 1e6 / float64(all)))); band != last {
			if last = band; i > 0 {
				b.WriteByte('\n')
			}
			fmt.Fprint(&b, band)
		}
		b.WriteString(" " + stem)
	}
	b.WriteByte('\n')
	if *update {
		if err := os.WriteFile("common.txt", []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if b.String() != commonText {
		t.Error("common.txt is not what the data gives; -update writes it, and makes another model")
	}
}

// countStems counts the stems of the service talk.
func countStems(t *testing.T) (counts map[string]int, all int) {
	f, err := os.Open(devdata.Path(t, "dialogue_text.txt.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	counts = map[string]int{}
	lines := bufio.NewScanner(z)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		for stem, n := range stems.Count(lines.Text()) {
			counts[stem] += n
			all += n
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return counts, all
}

// mostCommon returns the most common stems of letters only that are said elsewhere too, in their order.
func mostCommon(counts, elsewhere map[string]int) []string {
	var list []string
	for stem := range counts {
		if strings.Trim(stem, "abcdefghijklmnopqrstuvwxyz") == "" {
			list = append(list, stem)
		}
	}
	slices.SortFunc(list, func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), strings.Compare(a, b))
	})
	return slices.DeleteFunc(list[:amongFirst], func(stem string) bool { return elsewhere[stem] == 0 })
}

// saidElsewhere counts the stems of talk about other matters. The few names of fields in the files do no harm.
func saidElsewhere(t *testing.T) map[string]int {
	var all []string
	for _, name := range []string{"natcs_insurance_utterances.jsonl", "primock57_dev.json", "harpervalley_sample.json"} {
		raw, err := os.ReadFile(devdata.Path(t, name))
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, string(raw))
	}
	return stems.Count(all...)
}
