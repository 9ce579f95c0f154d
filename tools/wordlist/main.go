// Command wordlist makes internal/wrapup/summary/common.txt: how common words are in service talk and in chat, by which
// a summary tells what a conversation was about from what every conversation says. It counts the distinct utterances of
// dialogue_text.txt.gz and the user's turns of longmemeval_s_dev.json.gz (development data; NOTICE names their
// sources):
//
//	go run ./tools/wordlist -data ../shared/data > internal/wrapup/summary/common.txt
//
// The same data gives the same list to the byte. Only counts of single words leave the data. It is not part of the
// product.
package main

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
)

func main() {
	data := flag.String("data", filepath.Join("..", "shared", "data"), "folder of the development data")
	flag.Parse()
	if err := run(*data, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "wordlist:", err)
		os.Exit(1)
	}
}

func run(data string, to io.Writer) error {
	services, err := countServices(filepath.Join(data, "dialogue_text.txt.gz"))
	if err != nil {
		return err
	}
	chat, err := countChat(filepath.Join(data, "longmemeval_s_dev.json.gz"))
	if err != nil {
		return err
	}
	return write(to, bands(services, chat))
}

// counts are how often words were seen.
type counts struct {
	of  map[string]int
	all int
}

func (c *counts) add(text string) {
	for _, f := range strings.Fields(strings.ToLower(strings.ReplaceAll(text, "’", "'"))) {
		w := strings.TrimFunc(f, func(r rune) bool { return !unicode.IsLetter(r) })
		if w == "" {
			continue
		}
		c.all++
		if plain(w) {
			c.of[w]++
		}
	}
}

// plain reports whether a word is of letters, with at most an apostrophe inside.
func plain(w string) bool {
	for _, r := range w {
		if (r < 'a' || r > 'z') && r != '\'' {
			return false
		}
	}
	return strings.Count(w, "'") < 2
}

// perMillion is how often a word is seen in a million.
func (c *counts) perMillion(w string) float64 { return float64(c.of[w]) * 1e6 / float64(c.all) }

func open(path string) (io.ReadCloser, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	z, err := gzip.NewReader(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return struct {
		io.Reader
		io.Closer
	}{z, f}, nil
}

// countServices counts utterances, one a line.
func countServices(path string) (*counts, error) {
	r, err := open(path)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	c := &counts{of: map[string]int{}}
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		c.add(lines.Text())
	}
	return c, lines.Err()
}

// countChat counts what users said in sessions, each session once.
func countChat(path string) (*counts, error) {
	r, err := open(path)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	var questions []struct {
		IDs      []string                           `json:"haystack_session_ids"`
		Sessions [][]struct{ Role, Content string } `json:"haystack_sessions"`
	}
	if err := json.NewDecoder(r).Decode(&questions); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	c := &counts{of: map[string]int{}}
	seen := map[string]bool{}
	for _, q := range questions {
		for i, id := range q.IDs {
			if seen[id] || i >= len(q.Sessions) {
				continue
			}
			seen[id] = true
			for _, t := range q.Sessions[i] {
				if t.Role == "user" {
					c.add(t.Content)
				}
			}
		}
	}
	return c, nil
}

// The list goes down to this band, and takes in a word that was seen so often in both kinds of talk.
const (
	lowestBand = 4
	leastSeen  = 5
)

// bands are the words by the rounded log2 of the geometric mean of their counts per million in services and in chat, so
// that the subject of one kind of talk does not count as common.
func bands(services, chat *counts) map[int][]string {
	out := map[int][]string{}
	for w, n := range services.of {
		if n < leastSeen || chat.of[w] < leastSeen {
			continue
		}
		band := int(math.Round(math.Log2(math.Sqrt(services.perMillion(w) * chat.perMillion(w)))))
		if band >= lowestBand {
			out[band] = append(out[band], w)
		}
	}
	return out
}

func write(to io.Writer, byBand map[int][]string) error {
	b := bufio.NewWriter(to)
	fmt.Fprint(b, `# How common words are in English service talk and chat: the number is log2 of their count per million words, rounded.
# Made by tools/wordlist from MultiDoGO, MultiWOZ, Taskmaster-4 and LongMemEval user turns (geometric mean of services and chat, so that
# the subject of one kind of talk does not count as common). A word that is not listed is rare, and rare words carry a summary.
`)
	var order []int
	for band := range byBand {
		order = append(order, band)
	}
	slices.Sort(order)
	for _, band := range slices.Backward(order) {
		slices.Sort(byBand[band])
		fmt.Fprintln(b, band, strings.Join(byBand[band], " "))
	}
	return b.Flush()
}
