package wrapup

import (
	"strings"
	"unicode"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/speech"
)

// foreign complains of a summary that is in none of the languages of its conversation. It is a rough look, by script and by
// the small words of a language: where either side leaves a doubt there is no complaint.
func foreign(s recaller.Summary, turns []recaller.Turn) *complaint {
	lines := []string{s.Brief, s.Next}
	for _, list := range [][]string{s.Topics, s.Decisions, s.Actions, s.Facts} {
		lines = append(lines, list...)
	}
	got := language(strings.Join(lines, "\n"))
	if got == "" {
		return nil
	}
	var caller, all strings.Builder
	for _, t := range turns {
		if t.Speaker == recaller.User {
			caller.WriteString(t.Text + "\n")
		}
		all.WriteString(t.Text + "\n")
	}
	want := language(caller.String())
	if both := language(all.String()); want == "" || want == got || both == got {
		return nil
	}
	return &complaint{ReasonLanguage, "An earlier answer was in another language than the conversation. Write in " + want + ", as the caller speaks; only the names of the fields stay English."}
}

// The bounds of the look.
const (
	leastWords   = 8    // fewer tell nothing
	leastShare   = 0.15 // of the words that must be small ones of the language
	leastLead    = 1.5  // over the second language
	leastLetters = 12   // of a script
)

// language names the language of a text, or the family that its script leaves open; "" where it cannot be told.
func language(text string) string {
	if script := script(text); script != latin {
		return script
	}
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && r != '\'' })
	if len(words) < leastWords {
		return ""
	}
	best, first, second := "", 0, 0
	for name, small := range smallWords {
		n := 0
		for _, w := range words {
			if small[w] {
				n++
			}
		}
		switch {
		case n > first:
			best, first, second = name, n, first
		case n > second:
			second = n
		}
	}
	if float64(first) < leastShare*float64(len(words)) || float64(first) < leastLead*float64(second) {
		return ""
	}
	return best
}

const latin = "latin"

// script names what most letters of a text are written in, as the language where it has the script for itself.
func script(text string) string {
	count, all := map[string]int{}, 0
	for _, r := range text {
		if !unicode.IsLetter(r) {
			continue
		}
		all++
		for _, s := range scripts {
			if unicode.Is(s.table, r) {
				count[s.name]++
				break
			}
		}
	}
	if kana := count["Japanese"]; kana*10 > count["Chinese"] { // which it is written in as well
		count["Japanese"] += count["Chinese"]
		delete(count, "Chinese")
	}
	for name, n := range count {
		if n*2 > all && (name == latin || n >= leastLetters) {
			return name
		}
	}
	return ""
}

var scripts = []struct {
	name  string
	table *unicode.RangeTable
}{
	{latin, unicode.Latin},
	{"Russian or another language in Cyrillic letters", unicode.Cyrillic},
	{"Arabic or another language in Arabic letters", unicode.Arabic},
	{"Hindi or another language in Devanagari", unicode.Devanagari},
	{"Chinese", unicode.Han},
	{"Japanese", unicode.Hiragana},
	{"Japanese", unicode.Katakana},
	{"Korean", unicode.Hangul},
	{"Hebrew", unicode.Hebrew},
	{"Thai", unicode.Thai},
	{"Greek", unicode.Greek},
	{"Bengali", unicode.Bengali},
	{"Tamil", unicode.Tamil},
}

// smallWords are the commonest words of the languages in Latin letters that are told apart.
var smallWords = map[string]map[string]bool{
	"English":             speech.Set(`the a an and of to is was are were in on at for with that this it he she they his her their will would has have had not but from by who which caller i you my your do what can we`),
	"Spanish":             speech.Set(`el la los las un una y de del que en es por para con se su no lo al como más pero le ha era está quiere yo mi me muy tiene qué sí hay este esta`),
	"Portuguese":          speech.Set(`o a os as um uma e de do da dos das que em no na é por para com se seu sua não ao mais mas foi está eu meu minha muito tem você sim isso ele ela pelo`),
	"French":              speech.Set(`le la les un une et de du des que qui en est pour par avec se son sa ses ne pas au aux plus mais il elle dans ce cette je vous mon ma a été sur chez j'ai c'est`),
	"Italian":             speech.Set(`il lo la i gli le un una e di del della che in è per con si suo sua non al alla più ma ha era sono nel io mi ho questo questa anche come dal`),
	"German":              speech.Set(`der die das ein eine und von zu zum zur ist war sind im in auf für mit dass den dem des nicht aber er sie es hat ich mein meine am an bei wird noch auch wie aus nach einen`),
	"Dutch":               speech.Set(`de het een en van te is was zijn in op voor met dat die niet maar hij zij ze er heeft ik mijn aan bij wordt nog ook naar wil dit om als uit`),
	"Swedish":             speech.Set(`en ett och av att är var i på för med som den det inte men han hon har jag min till från vill de sig om kan ska också vid`),
	"Danish or Norwegian": speech.Set(`en et og af av at er var i på for med som den det ikke men han hun har jeg min til fra vil de seg sig om kan skal også ved`),
	"Polish":              speech.Set(`i w z na do nie że się to jest był była o jak ale po co za od dla czy już ma przez jego jej ja mam mnie mi tak ten ta`),
	"Turkish":             speech.Set(`ve bir bu da de için ile çok ama daha ne var yok ben benim sen o olarak gibi kadar mi mı değil olan her ya en`),
}
