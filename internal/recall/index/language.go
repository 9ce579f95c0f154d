package index

import (
	"slices"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/embed/static"
	"github.com/recallerhq/recaller/internal/recall/token"
)

// This file is about languages. A conversation's words become terms by the rules of the language that it is held in;
// one that does not tell, and a memory, by those of the language that most of the caller's conversations are held in. A
// query's words are looked for by the rules of each of these languages. English, German, Spanish, French, Italian and
// Portuguese have vectors, in one space.

// told is which languages the conversations are held in.
type told struct {
	counts map[token.Language]int // how many conversations tell each
	main   token.Language         // that most tell; English where none tells
	used   []token.Language       // by whose rules something was indexed
}

// enough is how many words of a conversation tell its language; more are not listened to.
const enough = 300

// hear returns the language that a conversation's turns tell, Unknown where they do not.
func (ix *Index) hear(parts ...[]recaller.Turn) token.Language {
	d := &ix.detector
	d.Reset()
	for _, turns := range parts {
		for i := range turns {
			if d.Tokens() >= enough {
				return d.Language()
			}
			d.Add(turns[i].Text)
		}
	}
	return d.Language()
}

// tongue returns the language that texts tell, Unknown where they do not.
func (ix *Index) tongue(texts ...string) token.Language {
	d := &ix.detector
	d.Reset()
	for _, t := range texts {
		d.Add(t)
	}
	return d.Language()
}

// count counts a conversation that tells now what it did not tell before, Unknown for a new one, and returns the
// language that most tell now.
func (t *told) count(before, now token.Language) token.Language {
	if before != token.Unknown {
		t.counts[before]--
	}
	if now != token.Unknown {
		t.counts[now]++
	}
	return t.most()
}

func (t *told) most() token.Language {
	main, n := token.English, t.counts[token.English]
	for l, m := range t.counts {
		if m > n || m == n && m > 0 && l < main {
			main, n = l, m
		}
	}
	return main
}

// language returns the language by whose rules a conversation that tells l is indexed.
func (t *told) language(l token.Language) token.Language {
	if l == token.Unknown {
		return t.main
	}
	return l
}

// use notes that something is indexed by the rules of languages.
func (t *told) use(languages ...token.Language) {
	for _, l := range languages {
		if !slices.Contains(t.used, l) {
			t.used = append(t.used, l)
		}
	}
}

// understood reports whether a change's turns leave what is indexed as it is, and the language that their conversation
// tells with them. They do not where they show that it, or most conversations, are held in another one than was
// thought.
func (ix *Index) understood(c recaller.Change) (now token.Language, ok bool) {
	if c.Conversation == nil {
		return token.Unknown, true
	}
	var before token.Language
	var turns []recaller.Turn
	if i, known := ix.byID[c.Conversation.ID]; known {
		before, turns = ix.sessions[i].told, ix.sessions[i].turns
	}
	if len(c.Turns) == 0 {
		return before, true
	}
	now = ix.hear(turns, c.Turns)
	if now == before {
		return now, true
	}
	main := ix.count(before, now)
	ix.count(now, before)
	return now, main == ix.main && (len(turns) == 0 || ix.language(before) == ix.language(now))
}

// rowsOf appends to dst the rows of a word that has a vector: a word that the table knows whole. What is put together
// of pieces, names and numbers mostly, is found by its letters or not at all.
func rowsOf(l token.Language, tok []byte, dst []uint32) []uint32 {
	rows := static.RowsIn(l, tok, dst)
	if l == token.English && len(rows) > len(dst)+1 {
		return dst
	}
	return rows
}
