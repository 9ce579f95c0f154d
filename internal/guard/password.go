package guard

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/recallerhq/recaller/internal/speech"
)

// password masks the word that a label calls a password. A word that may as well be part of the sentence ("my password
// is outdated") stays; what no sentence has in that place ("hunter2") goes.
func (r *reader) password(l label, at int) {
	tie := r.tie(l.last+1, at)
	if end, ok := r.quoted(at); ok && tie > tiedNot {
		r.spans = append(r.spans, span{r.toks[at].start, end, passwordMark, Password})
		return
	}
	start, end := r.chunk(at)
	chunk := r.text[start:end]
	if isSecret(chunk) && !techWords[r.toks[at].s] && (tie > tiedNot || at == l.last+1) && !r.countsAt(at) {
		r.spans = append(r.spans, span{start, r.spelled(at, end), passwordMark, Password})
		return
	}
	if tie < tiedIs {
		if next := at + 1; at == l.last+1 && next < len(r.toks) && r.toks[at].kind == word && !stops[r.toks[at].s] && !r.countsAt(next) &&
			r.toks[next].kind == digitsKind && len(r.toks[next].s) >= 2 { // "name ram, password ram 123"
			r.hide(at, next, passwordMark, Password)
		}
		return
	}
	if last, ok := r.spelling(at); ok {
		r.hide(at, last, passwordMark, Password)
		return
	}
	if row, ok := r.rowAt(at); ok && len(row.digits) >= 3 && !r.counts(row.last()+1) && !row.amount {
		r.hide(row.first(), row.last(), passwordMark, Password)
		return
	}
	if last, ok := r.words(at); ok {
		r.hide(at, last, passwordMark, Password)
	}
}

// How a label is tied to what follows it.
const (
	tiedNot = iota
	tiedTo  // "changed my password to"
	tiedIs  // "my password is", "password:"
)

func (r *reader) tie(i, at int) int {
	tie := tiedNot
	for ; i < at; i++ {
		switch t := r.toks[i]; {
		case t.s == ":" || t.s == "=" || t.s == "to" || t.s == "as":
			if t.s == "to" || t.s == "as" {
				tie = max(tie, tiedTo)
			} else {
				tie = tiedIs
			}
		case t.kind == word && verbs[t.s]:
			tie = tiedIs
		}
	}
	return tie
}

// quoted reports whether token at stands in quotes, and where what is quoted ends.
func (r *reader) quoted(at int) (end int, ok bool) {
	start := r.toks[at].start
	before, _ := utf8.DecodeLastRuneInString(r.text[:start])
	closing := map[rune]string{'"': "\"", '“': "”", '„': "“”", '\'': "'", '‘': "’", '`': "`", '«': "»"}[before]
	if closing == "" {
		return 0, false
	}
	near := r.text[start:min(len(r.text), start+maxQuoted+utf8.UTFMax)]
	n := strings.IndexAny(near, closing)
	if n <= 0 || n > maxQuoted || strings.Contains(r.text[start:start+n], "\n") {
		return 0, false
	}
	inside := strings.ToLower(r.text[start : start+n])
	if placeholders[inside] || strings.ContainsAny(inside, "[]<>{}(") || stops[inside] {
		return 0, false
	}
	return start + n, true
}

// maxQuoted bounds a quoted password.
const maxQuoted = 64

var placeholders = speech.Set("password passwords your_password yourpassword your-password pass mypassword my_password secret username user name changeme xxx xxxx example")

// maxChunk is how far a chunk is read: further than any password and the signs behind it go.
const maxChunk = 4 * maxQuoted

// chunk is the text from token at to the next white space, without the signs that end a sentence.
func (r *reader) chunk(at int) (start, end int) {
	start = r.toks[at].start
	end = start
	for end < len(r.text) && end < start+maxChunk {
		c, n := utf8.DecodeRuneInString(r.text[end:])
		if unicode.IsSpace(c) {
			break
		}
		end += n
	}
	for end > start {
		c, n := utf8.DecodeLastRuneInString(r.text[start:end])
		if !strings.ContainsRune(".,;:!?\"'”’“`)»…*", c) {
			break
		}
		end -= n
	}
	return start, max(end, r.toks[at].end)
}

// isSecret reports whether a chunk looks like nothing that is written in a sentence.
func isSecret(chunk string) bool {
	if len(chunk) > maxQuoted || strings.ContainsAny(chunk, "()<>[]{}\\/=;,") {
		return false
	}
	if strings.HasPrefix(chunk, "$") || strings.HasPrefix(chunk, "%") || strings.HasPrefix(chunk, "*") { // the name of a variable, emphasis
		return false
	}
	letters, figures, signs := 0, 0, 0
	for _, c := range chunk {
		switch {
		case unicode.IsLetter(c):
			letters++
		case digit(c) >= 0:
			figures++
		case strings.ContainsRune("!@#$%^&+?", c):
			signs++
		}
	}
	if strings.Contains(chunk, "@") && strings.Contains(chunk[strings.Index(chunk, "@"):], ".") && figures == 0 {
		return false // an address
	}
	return letters > 0 && figures > 0 && len(chunk) >= 4 || letters > 0 && signs > 0 && len(chunk) >= 4 || letters == 0 && figures >= 4
}

// techWords look like passwords and are none.
var techWords = speech.Set("2fa mfa sha1 sha256 sha512 md5 base64 wpa2 wpa3 utf8 oauth2 1password lastpass 1st 2nd 3rd 4th win10 ipv4 ipv6 24h 48h 2step 3d mp3 12char 8char 16char")

// countsAt reports whether token at begins a count: "12 characters".
func (r *reader) countsAt(at int) bool {
	row, ok := r.rowAt(at)
	return ok && (r.counts(row.last()+1) || row.amount)
}

// spelled extends a password that begins with a chunk by the digits that follow it: "hunter 2".
func (r *reader) spelled(at, end int) int {
	for i := at; i < len(r.toks); i++ {
		if r.toks[i].start < end {
			continue
		}
		t := r.toks[i]
		if t.lines > 0 || !t.spaced || r.counts(i+1) || t.kind != digitsKind && (t.kind != word || utf8.RuneCountInString(t.s) > 1 || t.s == "a" || t.s == "i") {
			break
		}
		end = t.end
	}
	return end
}

// signNames are what people say for a sign or for the next letter when they spell.
var signNames = speech.Set(`capital uppercase lowercase upper lower case underscore dash hyphen dot period at sign exclamation mark hash hashtag pound dollar star
	asterisk percent ampersand plus space then and question gross klein mayuscula majuscule`)

// spelling reads a password that is spelled out: "b l u e four two", "capital H u n t".
func (r *reader) spelling(at int) (last int, ok bool) {
	last = -1
	single, said := 0, 0
	for i := at; i < len(r.toks); {
		t := r.toks[i]
		row, isRow := r.rowAt(i)
		switch {
		case isRow:
			said, last, i = said+len(row.digits), row.last(), row.last()+1
		case t.kind == word && utf8.RuneCountInString(t.s) == 1:
			single, last, i = single+1, i, i+1
		case t.kind == word && signNames[t.s], t.kind == punct && strings.Contains("-,.", t.s):
			i++
		default:
			return last, single >= 2 && single+said >= 3
		}
	}
	return last, single >= 2 && single+said >= 3
}

// maxWords bounds a password of plain words.
const maxWords = 3

// words reads a password of plain words: it fills its clause, and no word of it belongs to what people say of
// passwords.
func (r *reader) words(at int) (last int, ok bool) {
	last = -1
	if at > 0 && (links[r.toks[at-1].s] && !verbs[r.toks[at-1].s] && r.toks[at-1].s != "that") { // "the password is my birthday"
		return 0, false
	}
	for n := 0; at < len(r.toks); at, n = at+1, n+1 {
		t := r.toks[at]
		if t.lines > 0 && n > 0 || t.kind == punct && strings.Contains(".,;!?\"”’)", t.s) || n > 0 && clauses[t.s] {
			return last, n > 0
		}
		if n == maxWords || n == 0 && t.lines > 0 || t.kind == punct || t.kind == mark || t.s == "" || t.s[0] == '\'' || stops[t.s] || placeholders[t.s] || n == 0 && isQuality(t.s) {
			return 0, false
		}
		last = at
	}
	return last, last >= 0
}

var clauses = speech.Set("and but so which because if or then please for when thanks thank i can und aber y pero et mais e ma")

// isQuality reports whether a word says how something is: "outdated", "missing", "unacceptable".
func isQuality(s string) bool {
	for _, suffix := range []string{"ed", "ing", "ly", "able", "ible", "ful", "less", "ive", "ous", "ent", "ant"} {
		if len(s) > len(suffix)+2 && strings.HasSuffix(s, suffix) {
			return true
		}
	}
	return false
}

// stops are the words of sentences about passwords, which are no passwords where they stand alone.
var stops = speech.Set(`not no never 't wrong incorrect invalid right correct good bad fine ok okay safe secure insecure weak strong stronger strongest long short
	longer shorter hard easy simple simpler same different new old current default temporary unique similar common important private public personal necessary mandatory
	optional required needed the a an this that these those my your his her their our its it he she they we you i me us them what which who where when why how
	there here in on at of to from for with without by about as like than into up down out off over under too very so just only also still already always
	now today yesterday tomorrow soon later again case sensitive blank empty full lost stolen gone broken forgotten known unknown saved set sent kept hidden
	being been be is are was were will would should could can may must have has had do does did get got gets and or but if then because while until
	yes yeah yep nope sure maybe perhaps probably sorry please thanks thank hello hi pardon huh uh um er hmm well oh string str text varchar char null none
	nil true false input value field user username email e-mail mail login name data type int var let const self hash hashed token key code number numbers letters
	digits characters something anything nothing everything someone all any some one more less most least enough many much best better worst worse working work
	works nicht falsch richtig sicher weg no incorrecta correcta pas correct errado errada correta sbagliata nao non est es ist simple basic generic
	important visible ready active online offline okay alright available up-to-date date back key first last next step issue problem thing way part one-time
	essential critical crucial vital key paramount confidential between case-sensitive alphanumeric numeric stored locked reset change changes password passwords
	ungültig ungultig abgelaufen gesperrt zu schon alt kurz lang komisch nötig notig leider invalida invalido inválida inválido muy demasiado larga largo corta
	corto rara raro refuse refusé expire expiré trop weird gibberish passphrase pin it's that's forgot forget remember don didn isn wasn doesn won haven hasn couldn can't cannot know think guess believe mean want need wait hold
	let lets let's actually really literally basically exactly kind sort`)

// passwordAnswer masks the answer to "what is your password?".
func (r *reader) passwordAnswer() {
	i := 0
	for i < len(r.toks) && (r.toks[i].kind == punct || leadIns[r.toks[i].s] && !(i+1 == len(r.toks))) {
		i++
	}
	if i >= len(r.toks) || r.toks[i].kind == mark {
		return
	}
	start, end := r.chunk(i)
	if isSecret(r.text[start:end]) && !techWords[r.toks[i].s] {
		r.spans = append(r.spans, span{start, r.spelled(i, end), passwordMark, Password})
		return
	}
	if last, ok := r.spelling(i); ok {
		r.hide(i, last, passwordMark, Password)
		return
	}
	if last, ok := r.wordsWithDigits(i); ok {
		r.hide(i, last, passwordMark, Password)
	}
}

// wordsWithDigits is words, where digits may be said among them: "hunter two".
func (r *reader) wordsWithDigits(at int) (last int, ok bool) {
	if last, ok = r.words(at); ok {
		return last, true
	}
	if stops[r.toks[at].s] || isQuality(r.toks[at].s) || at+1 >= len(r.toks) {
		return 0, false
	}
	if row, isRow := r.rowAt(at + 1); isRow && (row.last()+1 == len(r.toks) || r.toks[row.last()+1].kind == punct) {
		return row.last(), true
	}
	return 0, false
}

// leadIns are what people begin an answer with.
var leadIns = speech.Set(`it its 's is my the password passphrase word security secret sure yes yeah yep ok okay well so um uh er erm that think i 'd would be should
	of course certainly oh hmm and ist es mein das passwort ja klar mi la contrasena si claro c 'est mon le mot de passe oui minha senha sim e la mia`)
