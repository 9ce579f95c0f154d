package dialogue

import (
	"sort"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// tokens cuts text into the pieces that the model knows, as BERT's uncased tokenizer does (Devlin et al., 2019): lower
// case, no accents, each punctuation mark on its own, and each word in the longest pieces from its beginning on. Pieces
// inside a word begin with ##.
type tokens struct {
	names    []string // sorted
	opens    int32    // [CLS]
	closes   int32    // [SEP]
	unknown  int32    // [UNK]
	longName int      // bytes of the longest name
}

// longWord is how many letters a known word has at most.
const longWord = 100

// cut returns the pieces of a text.
func (t *tokens) cut(text string) []int32 {
	ids := make([]int32, 0, len(text)/4+1)
	word := make([]byte, 2, 64)
	word[0], word[1] = '#', '#' // room for the mark of a piece
	end := func() {
		ids = t.pieces(ids, word)
		word = word[:2]
	}
	for _, r := range norm.NFD.String(text) {
		switch {
		case unicode.Is(unicode.Mn, r) || r == 0 || r == utf8.RuneError || unicode.IsControl(r) && !unicode.IsSpace(r):
		case unicode.IsSpace(r):
			end()
		case stands(r):
			end()
			word = utf8.AppendRune(word, r)
			end()
		default:
			word = utf8.AppendRune(word, unicode.ToLower(r))
		}
	}
	end()
	return ids
}

// stands reports whether a rune is a token of its own.
func stands(r rune) bool {
	if r < utf8.RuneSelf {
		return r > ' ' && (r < '0' || r > '9' && r < 'A' || r > 'Z' && r < 'a' || r > 'z')
	}
	return unicode.IsPunct(r) || unicode.Is(unicode.Han, r)
}

// pieces appends the pieces of a word, which stands after its first two bytes.
func (t *tokens) pieces(ids []int32, word []byte) []int32 {
	if len(word) == 2 {
		return ids
	}
	from := len(ids)
	if utf8.RuneCount(word[2:]) > longWord {
		return append(ids, t.unknown)
	}
	for at := 2; at < len(word); {
		begin := at
		if at > 2 { // the two bytes before it were read already
			begin = at - 2
			word[begin], word[begin+1] = '#', '#'
		}
		id, n := t.longest(word[begin:])
		if n == 0 {
			return append(ids[:from], t.unknown)
		}
		ids = append(ids, id)
		at = begin + n
	}
	return ids
}

// longest returns the longest piece that text begins with, and its length; 0 where there is none.
func (t *tokens) longest(text []byte) (id int32, n int) {
	mark := 0
	if len(text) > 2 && text[0] == '#' && text[1] == '#' {
		mark = 2
	}
	for n = min(len(text), t.longName); n > mark; n-- {
		if n < len(text) && !utf8.RuneStart(text[n]) {
			continue
		}
		i := sort.SearchStrings(t.names, string(text[:n]))
		if i < len(t.names) && t.names[i] == string(text[:n]) {
			return int32(i), n
		}
	}
	return 0, 0
}
