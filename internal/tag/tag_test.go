package tag_test

import (
	"math/rand/v2"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/recallerhq/recaller/internal/tag"
)

func learn(text string) tag.Tag  { return tag.Tag{Kind: tag.Learn, Text: text} }
func forget(text string) tag.Tag { return tag.Tag{Kind: tag.Forget, Text: text} }

var voice = tag.Tag{Kind: tag.VoiceReply}

// A reading is a text, what is delivered of it, and its tags. No clean text: the text comes out as it is.
type reading struct {
	name, text, clean string
	tags              []tag.Tag
}

func tags(ts ...tag.Tag) []tag.Tag { return ts }

func readings() []reading {
	var all []reading
	for _, group := range [][]reading{acts(), spaces(), lists(), code(), quoted(), noTags()} {
		all = append(all, group...)
	}
	return all
}

func acts() []reading {
	return []reading{
		{"at the end", "Noted! [LEARN: likes dark roast]", "Noted!", tags(learn("likes dark roast"))},
		{"any case", "[lEaRn: a] Ok [Forget: b] [voice_reply]", "Ok", tags(learn("a"), forget("b"), voice)},
		{"spaces", "Ok [ learn : x ] and [\tVOICE_REPLY ]", "Ok and", tags(learn("x"), voice)},
		{"no space", "Ok [LEARN:x]", "Ok", tags(learn("x"))},
		{"a voice reply in other spellings", `[VOICE REPLY][voice-reply][VOICE\_REPLY]Hi`, "Hi", tags(voice, voice, voice)},
		{"a wide colon", "好的。[LEARN：喜欢茶]再见。", "好的。再见。", tags(learn("喜欢茶"))},
		{"brackets within balance", "Ok [LEARN: likes [dark] roast [very]]. Bye", "Ok. Bye", tags(learn("likes [dark] roast [very]"))},
		{"adjacent", "[LEARN: a][LEARN: b]", "", tags(learn("a"), learn("b"))},
		{"the same twice is told twice", "[LEARN: a] [LEARN: a]", "", tags(learn("a"), learn("a"))},
		{"over a line", "Ok [LEARN: likes\n  dark roast] bye", "Ok bye", tags(learn("likes dark roast"))},
		{"quotation within", `Ok [LEARN: reads "Moby-Dick"]`, "Ok", tags(learn(`reads "Moby-Dick"`))},
		{"without a text", "Ok [LEARN:] [forget:  ] so", "Ok so", nil},
		{"an unclosed one before another", "Ok [LEARN: a [FORGET: b] c", "Ok [LEARN: a c", tags(forget("b"))},
		{"the longest", "Ok [LEARN: " + strings.Repeat("x", 991) + "]", "Ok", tags(learn(strings.Repeat("x", 991)))},
		{"broken UTF-8", "Ok [LEARN: a\xffb] \xe2\x82", "Ok \xe2\x82", tags(learn("a\uFFFDb"))},
		{"brackets around it", "[[LEARN: a]]", "[]", tags(learn("a"))},
		{"parenthesis later", "[LEARN: a] (aside)", "(aside)", tags(learn("a"))},
	}
}

func spaces() []reading {
	return []reading{
		{"in a sentence", "I like [LEARN: x] tea", "I like tea", tags(learn("x"))},
		{"before a full stop", "I like tea [LEARN: x].", "I like tea.", tags(learn("x"))},
		{"between space and punctuation", "Tea [LEARN: x] , or coffee [LEARN: y] ?", "Tea, or coffee?", tags(learn("x"), learn("y"))},
		{"before a smiley", "Great [LEARN: x] :)", "Great :)", tags(learn("x"))},
		{"a Frenchman's space", "Bonjour [LEARN: x]\u00A0!", "Bonjour\u00A0!", tags(learn("x"))},
		{"glued", "Sure.[LEARN: x]Anything else?", "Sure. Anything else?", tags(learn("x"))},
		{"on a line of its own", "One.\n[LEARN: x]\nTwo.", "One.\nTwo.", tags(learn("x"))},
		{"on a paragraph of its own", "One.\n\n[LEARN: x]\n\nTwo.", "One.\n\nTwo.", tags(learn("x"))},
		{"two of them", "One.\n\n[LEARN: x]\n[LEARN: y]\n\nTwo.", "One.\n\nTwo.", tags(learn("x"), learn("y"))},
		{"a paragraph above, a line below", "One.\n\n[LEARN: x]\nTwo.", "One.\n\nTwo.", tags(learn("x"))},
		{"with DOS lines", "One.\r\n[LEARN: x]\r\nTwo.", "One.\r\nTwo.", tags(learn("x"))},
		{"at a line's end", "One. [LEARN: x]  \nTwo.", "One.\nTwo.", tags(learn("x"))},
		{"at a line's start", "One.\n[LEARN: x] Two.", "One.\nTwo.", tags(learn("x"))},
		{"at the start", "\n [LEARN: x]\n\nOne.", "One.", tags(learn("x"))},
		{"at the end, with lines", "One.\n\n[LEARN: x]\n\n", "One.", tags(learn("x"))},
		{"nothing else", " [VOICE_REPLY]\n", "", tags(voice)},
		{"space elsewhere stays", "a  b\n\n\nc [LEARN: x] d  e", "a  b\n\n\nc d  e", tags(learn("x"))},
	}
}

func lists() []reading {
	return []reading{
		{"an item", "Facts:\n- tea\n- [LEARN: x]\n- milk", "Facts:\n- tea\n- milk", tags(learn("x"))},
		{"a list of them", "Noted:\n- [LEARN: x]\n- [LEARN: y]\n\nBye", "Noted:\n\nBye", tags(learn("x"), learn("y"))},
		{"a numbered list of them", "Noted:\n1. [LEARN: x]\n2) [LEARN: y]", "Noted:", tags(learn("x"), learn("y"))},
		{"first of all", "- [LEARN: x]\n- milk", "- milk", tags(learn("x"))},
		{"beside a text", "Tea:\n  * [LEARN: x] dark\n  * milk", "Tea:\n  * dark\n  * milk", tags(learn("x"))},
		{"deep in a list", "- a\n\n    [LEARN: x]\n\n    b", "- a\n\n    b", tags(learn("x"))},
		{"an empty item", "- \n- a [LEARN: x]", "- \n- a", tags(learn("x"))},
		{"an empty item at the end", "a [LEARN: x]\n- ", "a\n- ", tags(learn("x"))},
		{"no list", "-5 degrees, 42 in all. 2026: *bold* [LEARN: x]", "-5 degrees, 42 in all. 2026: *bold*", tags(learn("x"))},
	}
}

func code() []reading {
	return []reading{
		{"in a fence", "So:\n```\n[LEARN: x]\n```\nOk [LEARN: y]", "So:\n```\n[LEARN: x]\n```\nOk", tags(learn("y"))},
		{"in a fence of tildes", "~~~ text\n[LEARN: x]\n```\n[LEARN: y]\n~~~\n[LEARN: z]", "~~~ text\n[LEARN: x]\n```\n[LEARN: y]\n~~~", tags(learn("z"))},
		{"in a longer fence", "````\n```\n[LEARN: x]\n````", "", nil},
		{"what follows a fence's end is no end", "```\n``` no\n[LEARN: x]", "", nil},
		{"in an unclosed fence", "```go\n[LEARN: x]\n\n[LEARN: y]\n", "", nil},
		{"in a list's fence", "1. a\n   ```\n   [LEARN: x]\n   ```\n2. [LEARN: y]b\n- ```\n  [LEARN: z]", "1. a\n   ```\n   [LEARN: x]\n   ```\n2. b\n- ```\n  [LEARN: z]", tags(learn("y"))},
		{"in backticks", "Write `[LEARN: x]` so. [LEARN: y]", "Write `[LEARN: x]` so.", tags(learn("y"))},
		{"in two backticks", "Write ``a ` [LEARN: x]`` so", "", nil},
		{"in three on a line", "```[LEARN: x]``` is how. [LEARN: y]", "```[LEARN: x]``` is how.", tags(learn("y"))},
		{"in unclosed backticks", "A ` here [LEARN: x]\n\n[LEARN: y]", "A ` here [LEARN: x]", tags(learn("y"))},
		{"over lines", "`a\n[LEARN: x]`", "", nil},
		{"an escaped backtick", "A \\` here [LEARN: x]", "A \\` here", tags(learn("x"))},
		{"indented", "So:\n\n    [LEARN: x]\n\n    [LEARN: y]\nand [LEARN: z]", "So:\n\n    [LEARN: x]\n\n    [LEARN: y]\nand", tags(learn("z"))},
		{"indented in a paragraph", "So:\n    [LEARN: x]", "So:", tags(learn("x"))},
	}
}

func quoted() []reading {
	return []reading{
		{"in a block quote", "You said:\n> Remember [LEARN: x]\n> ```\nOk [LEARN: y]", "You said:\n> Remember [LEARN: x]\n> ```\nOk", tags(learn("y"))},
		{"in a quote in a list", "- > [LEARN: x]", "", nil},
		{"in marks", `You wrote "[LEARN: x]" and "a [LEARN: y]." [LEARN: z]`, `You wrote "[LEARN: x]" and "a [LEARN: y]."`, tags(learn("z"))},
		{"in curly marks", "“a [LEARN: x]” [LEARN: y]", "“a [LEARN: x]”", tags(learn("y"))},
		{"in German marks", "„a [LEARN: x]“ [LEARN: y]", "„a [LEARN: x]“", tags(learn("y"))},
		{"in Polish marks", "„a [LEARN: x]” [LEARN: y]", "„a [LEARN: x]”", tags(learn("y"))},
		{"in French marks", "« a [LEARN: x] » [LEARN: y]", "« a [LEARN: x] »", tags(learn("y"))},
		{"in marks turned round", "»a [LEARN: x]« [LEARN: y]", "»a [LEARN: x]«", tags(learn("y"))},
		{"in Swedish marks", "”a [LEARN: x]” [LEARN: y]", "”a [LEARN: x]”", tags(learn("y"))},
		{"in Japanese marks", "彼は「[LEARN: x]」と言った。[LEARN: y]", "彼は「[LEARN: x]」と言った。", tags(learn("y"))},
		{"in single marks", "You wrote '[LEARN: x]'", "", nil},
		{"an apostrophe", "It's Ann's [LEARN: x]", "It's Ann's", tags(learn("x"))},
		{"inches", `A 27" screen, 5'10" tall [LEARN: x]`, `A 27" screen, 5'10" tall`, tags(learn("x"))},
		{"a way to go", "Home » Settings [LEARN: x]", "Home » Settings", tags(learn("x"))},
		{"unclosed, to the paragraph's end", "He said \"a [LEARN: x]\n[LEARN: y]\n\n[LEARN: z]", "He said \"a [LEARN: x]\n[LEARN: y]", tags(learn("z"))},
		{"bold marks", `**"a"**[LEARN: x]`, `**"a"**`, tags(learn("x"))},
	}
}

func noTags() []reading {
	return []reading{
		{"nothing", "", "", nil},
		{"space only", " \n ", "", nil},
		{"no tag", "  a  b \n\n\n c - [ ] [x] [1] [learning: x] [LEARN] [LEARN x] [voice_replying]  ", "", nil},
		{"unclosed", "Ok [LEARN: x", "", nil},
		{"a beginning", "Ok [ lea", "", nil},
		{"a link", "See [learn: x](https://example.com) and ![forget: y](z.png)", "", nil},
		{"a link's text is no place for tags", "See [learn: [learn: x]](https://example.com)", "", nil},
		{"escaped", `Write \[LEARN: x]`, "", nil},
		{"over a blank line", "[LEARN: a\n \nb]", "", nil},
		{"into a quote", "[LEARN: a\n> b]", "", nil},
		{"into a fence", "[LEARN: a\n```\nb]", "", nil},
		{"too long", "[LEARN: " + strings.Repeat("x", tag.Longest) + "]", "", nil},
		{"one byte too long", "[LEARN: " + strings.Repeat("x", 1001-9) + "]", "", nil},
		{"far too many spaces", "[" + strings.Repeat(" ", 40) + "LEARN: x]", "", nil},
	}
}

func TestTagsAreTakenOut(t *testing.T) {
	for _, r := range readings() {
		want := r.clean
		if want == "" && len(r.tags) == 0 {
			want = r.text
		}
		clean, got := tag.Parse(r.text)
		if clean != want || !reflect.DeepEqual(got, r.tags) {
			t.Errorf("%s: %q\n got %q %v\nwant %q %v", r.name, r.text, clean, got, want, r.tags)
		}
	}
}

// The seed's rules, but for those of place: what is no white space is the same.
func TestSimpleRepliesAreReadAsTheSeedReadsThem(t *testing.T) {
	learned, forgotten := regexp.MustCompile(`(?i)\[LEARN:\s*(.+?)\]`), regexp.MustCompile(`(?i)\[FORGET:\s*(.+?)\]`)
	for _, text := range []string{
		"Got it!", "Got it! [LEARN: Drinks oat milk]", "[LEARN: a]\nHello\n[LEARN: b]\n[FORGET: c]", "a [Learn:new job] b [forget: old job] c",
		"[LEARN: one]", "Hello, [LEARN: x] how are you?\n\nFine.",
	} {
		var want []string
		for _, m := range append(learned.FindAllStringSubmatch(text, -1), forgotten.FindAllStringSubmatch(text, -1)...) {
			want = append(want, strings.TrimSpace(m[1]))
		}
		clean, tags := tag.Parse(text)
		var got []string
		for _, t := range tags {
			got = append(got, t.Text)
		}
		if seed := forgotten.ReplaceAllString(learned.ReplaceAllString(text, ""), ""); black(seed) != black(clean) || !reflect.DeepEqual(got, want) {
			t.Errorf("%q: got %q %q, the seed %q %q", text, clean, got, seed, want)
		}
	}
}

func black(text string) string { return strings.Join(strings.Fields(text), "") }

func TestAStreamIsReadLikeTheWholeTextHoweverItIsCut(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, r := range readings() {
		for cut := range len(r.text) {
			same(t, r.text, []int{cut})
		}
		same(t, r.text, everywhere(r.text))
	}
	words := strings.Split("[|]|[LEARN:|[forget: |x]|[VOICE_REPLY]|`|```|~~~|\n|\n\n| |    |\"|“|”|»|«|> |- |1. |\\|'|a|B.|, |é|漢|(|)|\xe2|!", "|")
	found := 0
	for range 3000 {
		var b strings.Builder
		for range 1 + random.IntN(25) {
			b.WriteString(words[random.IntN(len(words))])
		}
		text := b.String()
		cuts := make([]int, random.IntN(6))
		for i := range cuts {
			cuts[i] = random.IntN(len(text))
		}
		found += same(t, text, cuts)
		same(t, text, everywhere(text))
	}
	if found < 500 {
		t.Errorf("only %d tags in all of them: the words are the wrong ones", found)
	}
}

func everywhere(text string) []int {
	cuts := make([]int, len(text))
	for i := range cuts {
		cuts[i] = i
	}
	return cuts
}

// same reads a text whole and cut, and returns how many tags it has.
func same(t *testing.T, text string, cuts []int) int {
	t.Helper()
	want, tags := tag.Parse(text)
	at := map[int]bool{}
	for _, c := range cuts {
		at[c] = true
	}
	var r tag.Reader
	var got strings.Builder
	from := 0
	for i := 1; i <= len(text); i++ {
		if i == len(text) || at[i] {
			got.WriteString(r.Write(text[from:i]))
			from = i
		}
	}
	got.WriteString(r.Close())
	if got.String() != want || !reflect.DeepEqual(r.Tags(), tags) {
		t.Fatalf("%q, cut at %v:\n got %q %v\nwant %q %v", text, cuts, got.String(), r.Tags(), want, tags)
	}
	if utf8.ValidString(text) && !utf8.ValidString(want) {
		t.Fatalf("%q becomes %q, which is no UTF-8", text, want)
	}
	if black(want) == black(text) && want != text && !strings.Contains(text, "[") {
		t.Fatalf("%q has no tag, and becomes %q", text, want)
	}
	return len(tags)
}

// held is all that a stream may hold back: white space with a list's marker, or its beginning, and behind it a possible tag.
var held = regexp.MustCompile(`(?is)^\s*((?:[-*+•]|\d{1,2}[.)]?)\s*)*(\[[ \t]*(` +
	begun("learn") + `|` + begun("forget") + `|` + begun("voice_reply") + `|learn\s*:.*|forget\s*:.*|voice_reply\s*\]))?$`)

// begun matches each beginning of a name, and the name with spaces behind it.
func begun(name string) string {
	all := []string{name + `[ \t]*`}
	for i := range name {
		all = append(all, name[:i])
	}
	return strings.Join(all, "|")
}

func TestAStreamHoldsBackNothingButWhatMayBeATag(t *testing.T) {
	for _, r := range append(noTags(), append(code(), quoted()...)...) {
		var reader tag.Reader
		rest := r.text
		for i := 0; i < len(r.text) && len(reader.Tags()) == 0; {
			_, size := utf8.DecodeRuneInString(r.text[i:])
			got := reader.Write(r.text[i : i+size])
			i += size
			if len(reader.Tags()) > 0 {
				break
			}
			if !strings.HasPrefix(rest, got) {
				t.Fatalf("%s: %q is delivered of %q", r.name, got, rest)
			}
			rest = rest[len(got):]
			back := rest[:i-(len(r.text)-len(rest))]
			if !held.MatchString(back) || len(strings.TrimLeftFunc(back, unicode.IsSpace)) > tag.Longest {
				t.Errorf("%s: %q is held back behind %q", r.name, back, r.text[:i])
			}
		}
	}
}

func TestWhatCannotBeATagIsDeliveredAtOnce(t *testing.T) {
	for _, c := range []struct{ before, next, want string }{
		{"", "Hello", "Hello"},
		{"see ", "[1", "[1"},
		{"see", " [x", " [x"},
		{"see", " [lea", ""},
		{"see [lea", "d", " [lead"},
		{"a [voice_reply", "x", " [voice_replyx"},
		{"a [LEARN", " x", " [LEARN x"},
		{"`a", " [LEARN: x", " [LEARN: x"},
		{"> a", " [LEARN: x", " [LEARN: x"},
		{"a [LEARN: x", "]", ""},
		{"a [LEARN: x]", "b", " b"},
		{"a [LEARN: x]", "(b", " [LEARN: x](b"},
		{"a [LEARN: x\n", "\nb", " [LEARN: x\n\nb"},
	} {
		var r tag.Reader
		r.Write(c.before)
		if got := r.Write(c.next); got != c.want && !strings.HasSuffix(got, c.want) || c.want == "" && got != "" {
			t.Errorf("%q, then %q: got %q, want %q", c.before, c.next, got, c.want)
		}
	}
}
