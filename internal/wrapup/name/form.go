package name

import (
	"slices"
	"strings"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/speech"
)

// The forms in which a name is told, longest first where one begins another.
var (
	// sureForms tell nothing but a name, wherever they stand.
	sureForms = phrases(`my full name is|me name is|me name's|my first name is|my last name is|my surname is|my name is|my name's|my names|the name is|
		the name's|you're speaking to|you're speaking with|you are speaking to|you are speaking with|youre speaking to|
		youre speaking with|mein name ist|ich heiße nur|ich heiße|ich heisse|yo soy|me llamo|mi nombre es|meu nome é|chamo-me`)
	// openForms may tell something else, and count at the beginning of a sentence only.
	openForms = phrases(`it's me again|its me again|it's only me|it's me|its me|this is|it's|its|it is|i'm|im|i am|that's|name's|
		name is|only me|put it under|put me under|put me down as|put it down as|aqui é a|aqui é o|aqui fala|com a|com o|thats|hier ist|hier spricht|ich bin|soy|sou o|sou a|sou|daqui|é o|é a|le habla|habla|es|just|under|unter|auf|a nombre de|con|de|für|it would be|it'll be`)
	// selfForms tell of nobody but the caller.
	selfForms   = phrases("i'm|im|i am|this is|ich bin|hier ist|hier spricht|soy|le habla|sou")
	germanForms = phrases("ich bin|hier ist|hier spricht")
	wishing     = phrases("i go by|i am called|i'm called|i prefer to be called")
	// endForms stand behind a name.
	endForms = phrases(`ist mein name|mein name|al habla|is my name|am apparat|am telefon|speaking|here|hier|calling`)

	// leads are what people say before they come to their name.
	leads = speech.Set(`hi hello hey hiya heya good morning afternoon evening day g'day gday gidday schönen now then evenin mornin yes yeah yep yup sure certainly of
		course okay ok alright well um uh er erm so oh ah right there please absolutely hallo guten tag morgen abend grüß gott servus yo
		moin ja also grüezi grüessech aye howdy b'y love dear mate pal pet sisi ciao bonjour salut buongiorno buonasera äh gerne buenos buenas buen días dias tardes noches hola bueno sí si claro pues mire mira oiga eh bom boa dia tarde olá olhe sim again no thanks thank you schön schade toll klasse prima
		great and`)
	greeted   = phrases(`auf wiederhören|auf wiedersehen|hasta luego|my man|my love|my dear|my friend|my lovely|kia ora|bore da|how're ya|how are you|how's it going|qué tal`)
	greetings = speech.Set(`hi hello hey hiya heya hallo hola servus grüezi moin morning afternoon evening thanks`)
	// connectives follow a name in a text without marks.
	connectives = speech.Set(`again from here hier calling speaking i i'm im i've ive i'd id and about uh um at with my the we we're your you
		you've youve but so look listen mire mira oiga que und ich aus von vom y desde de para llamo por`)
	ofOthers  = speech.Set("she he she's he's ella él") // told of somebody else: "it's maureen she passed"
	comesBack = speech.Set("again from")
	articles  = speech.Set("de la los las der die")
	// outlying begin where somebody is: "Royce Bledsoe out on the county road".
	outlying = phrases("out at|out on|out in|down at|down in|down on|over at|over on|over in|over by|up at|up on|up in")
	places   = speech.Set("lake river bay island cove creek valley harbour harbor beach county falls bridge crescent terrace square gardens view terminal airport station cross suite")
	firms    = speech.Set(`motors garage bank insurance services solutions energy electric gas water school surgery clinic dental hotel
		farm council college hospital travel logistics delivery express group limited ltd inc`)
	// employing lead to the firm for which somebody calls.
	employing = phrases("vom|von der|von dem|von den|von|aus der|aus dem")
	houses    = speech.Set(`gasthof gasthaus wirtshaus hotel pension restaurant café cafe firma praxis kanzlei apotheke kita kindergarten klinik spedition werkstatt
		weingut hof gemeinde verlag redaktion museum theater kirche pfarre tierheim stadtwerke rathaus krankenhaus autohaus möbelhaus`)
	houseEnds = strings.Fields("erei verwaltung verein club klub schule büro amt zentrum laden handlung praxis")
	// sent come from a firm, or are of its people: no name before one.
	sent     = speech.Set("post brief mail karte gast chef leute fahrer lehrer arzt ärztin koch köchin meister geld essen brot")
	selves   = speech.Set("i i'm im i've ive i'd id i'll my me we we've our ich wir mein meine yo mi")
	reported = speech.Set("if whether said says told say asked")
)

func phrases(list string) [][]string {
	var out [][]string
	for p := range strings.SplitSeq(list, "|") {
		out = append(out, strings.Fields(p))
	}
	return out
}

// behind returns the place behind the first of the phrases that stands at i, 0 if none does.
func behind(ws []word, i int, list [][]string) int {
	for _, p := range list {
		if is(ws, i, p...) {
			return i + len(p)
		}
	}
	return 0
}

// introduced returns where the name begins in a sentence that tells it for sure.
func introduced(s []word) (int, bool) {
	for i, w := range s {
		if reported[w.low] {
			return 0, false
		}
		if end := behind(s, i, sureForms); end > 0 && !(i > 0 && relations[s[i-1].low]) {
			return end, true
		}
	}
	return 0, false
}

// opened returns where a name may begin at i, behind one or two forms that open it, and whether there was one.
func opened(s []word, i int) (int, bool) {
	end := behind(s, i, openForms)
	if end == 0 {
		return i, false
	}
	if next := behind(s, end, openForms); next > 0 && behind(s, i, germanForms) == 0 { // "ich bin im Auto", "auf Reisen"
		end = next
	}
	if behind(s, i, selfForms) > 0 && end+1 < len(s) && relations[s[end].low] && relations[s[end+1].low] {
		end += 2 // "I'm her son, Neville"
	}
	return end, true
}

// closed returns the place behind a form that can only follow a name, 0 if there is none at i.
func closed(s []word, i int) int {
	end := behind(s, i, endForms)
	place := end > 0 && (s[i].low == "here" || s[i].low == "hier")
	if end > 0 && i > 0 && s[i-1].pause == 0 && (!place || last(s, end) || comesBack[s[end].low] || employed(s, end)) {
		return end
	}
	return 0
}

// lead returns where the first word stands that is no greeting, no yes and no name of the agent's.
func (r *reader) lead(s []word) int {
	i := 0
	for i < len(s) {
		switch end := behind(s, i, greeted); {
		case end > 0:
			i = end
		case leads[s[i].low], r.agents[s[i].low] && (r.heard > 0 || i > 0 || s[i].pause != 0):
			i++
		case i > 0 && greetings[s[i-1].low] && s[i].nameLike(r.cased) && behind(s, i+1, openForms) > 0 && !is(s, i+1, "de"):
			i++
		default:
			return i
		}
	}
	return i
}

// read returns the words of a name that begins at i, none twice and with what is spelled in them, and the place behind
// it.
func (r *reader) read(s []word, i int) (name []word, next int) {
	name, next = r.parts(s, i)
	if next > i && s[next-1].pause == ',' {
		if full, to := r.parts(s, next); len(full) > len(name) && contains(full, name) { // "Bartlett, Ronnie Bartlett"
			name, next = full, to
		}
	}
	name = once(name)
	for len(name) > 1 && next < len(s) && contains(name, s[next:next+1]) {
		next++
	}
	return name, next
}

// parts returns them as they were said, false starts left out.
func (r *reader) parts(s []word, i int) (parts []word, next int) {
	full := 0
	for ; i < len(s) && full <= 3; i++ {
		w := s[i]
		switch {
		case hesitations[w.low] && full > 0 && i+1 < len(s) && s[i+1].nameLike(r.cased):
			if anew(parts[len(parts)-1].low, s[i+1].low) {
				parts, full = parts[:len(parts)-1], full-1
			} else if !r.cased && (r.asked.kind == "" || !last(s, i+2)) {
				return parts, i
			}
			continue
		case w.spelled != "" && full > 0:
			if k := len(parts) - 1; near(parts[k].low, w.spelled) {
				parts[k] = respelled(w.spelled)
			} else if full == 1 && !strings.HasPrefix(parts[k].low, w.spelled) {
				parts = append(parts, respelled(w.spelled))
				full++
			}
			if w.ends() {
				return parts, i + 1
			}
			continue
		case full == 0 && titles[w.low]:
			continue
		case r.particle(s, i, len(parts)):
			parts = append(parts, w)
			continue
		case !w.nameLike(r.cased), full > 0 && civilAt(s, i):
			return parts, i
		}
		parts = append(parts, w)
		full++
		if w.pause == 0 || i+1 < len(s) && s[i+1].spelled != "" {
			continue
		}
		if full == 1 && w.pause == ',' && r.cased && i+1 < len(s) && s[i+1].nameLike(true) && s[i+1].pause != 0 && s[i+1].low != w.low &&
			(r.asked.kind != "" || firstNames[s[i+1].low]) { // "Quigley, Darnell"
			return slices.Concat([]word{s[i+1]}, parts), i + 2
		}
		return parts, i + 1
	}
	return parts, i
}

// anew reports whether a word begins like the one before it, that broke off: "mc, uh, mcallister".
func anew(broken, whole string) bool {
	begun := []rune(broken)
	return strings.HasPrefix(whole, string(begun[:min(3, len(begun))]))
}

// once leaves out what is said again: "mcallister fiona mcallister", "Luz Marina Restrepo Luz Marina".
func once(parts []word) []word {
	for len(parts) > 2 {
		again := 1 + slices.IndexFunc(parts[1:], func(p word) bool { return p.low == parts[0].low })
		switch {
		case again == 0:
			return parts
		case (again > 2 || again == 2 && firstNames[parts[0].low]) && contains(parts[:again], parts[again:]):
			return parts[:again]
		}
		parts = parts[1:]
	}
	return parts
}

// employed reports whether a firm stands at i as that of whom was named before: "vom Gasthof Adler".
func employed(s []word, i int) bool {
	from := behind(s, i, employing)
	return from > 0 && from < len(s) && (houses[s[from].low] || slices.ContainsFunc(houseEnds, func(end string) bool { return strings.HasSuffix(s[from].low, end) }))
}

// ofFirm reports whether a firm and nothing else follows at i, up to a pause: "vom Gasthof Adler", not "von der Schule
// sind da".
func ofFirm(s []word, i int) bool {
	for k := behind(s, i, employing); k < len(s); k++ {
		if ends := behind(s, k, endForms) > 0; ends || s[k].text == s[k].low || s[k].pause != 0 {
			return ends || s[k].text != s[k].low
		}
	}
	return true
}

// particle reports whether the word at i leads to the next of a name: "van der Berg".
func (r *reader) particle(s []word, i, before int) bool {
	if employed(s, i) || !particles[s[i].low] || i+1 >= len(s) || before == 0 && articles[s[i].low] {
		return false
	}
	return particles[s[i+1].low] || s[i+1].nameLike(r.cased)
}

// whole reports whether what was read is a name and no other matter that begins like one. Where nothing asked for a
// name, a text without marks must show it by more than words that are not known.
func (r *reader) whole(parts, s []word, next int, sure bool) bool {
	names := 0
	for _, p := range parts {
		if !particles[p.low] {
			names++
		}
	}
	if names == 0 || names > 4 || names > 3 && !r.cased || r.agents[parts[0].low] && names == 1 && r.heard == 0 && !sure {
		return false
	}
	follows := follows(s, next)
	switch {
	case !last(s, next) && ofOthers[s[next].low] && !sure:
		return false
	case r.cased:
		return names > 1 || sure || follows && (last(s, next) || !strings.HasPrefix(s[next].low, "i")) // "It's Barclays I'm with"
	case sure:
		return names > 1 || follows || firstNames[parts[0].low]
	}
	if firstNames[parts[0].low] {
		return true
	}
	return names == 2 && follows && !unlikely(parts[0].low) && !unlikely(parts[1].low)
}

// follows reports whether what stands at i ends a name that was told.
func follows(s []word, i int) bool {
	return last(s, i) || civilAt(s, i) || connectives[s[i].low] || relations[s[i].low] || speech.IsNumber(s[i].low) || strings.HasSuffix(s[i].low, "'s")
}

// address is a name by which the agent calls the caller.
type address struct {
	low    string
	titled bool // with Mr or Mrs
}

// address takes up by which names the agent calls the caller in a turn.
func (r *reader) address(ws []word, text string) {
	cased := strings.ToLower(text) != text
	for i, w := range ws {
		if i == 0 || !w.nameLike(cased) || r.agents[w.low] {
			continue
		}
		titled := titles[ws[i-1].low]
		vocative := greetings[ws[i-1].low] || is(ws, i-2, "thank", "you") || ws[i-1].pause == ',' && w.pause != 0
		if titled || vocative {
			r.called = append(r.called, address{w.low, titled})
		}
	}
}

// agents returns the names that agents give themselves, and are greeted by.
func agents(turns []recaller.Turn) map[string]bool {
	out := map[string]bool{}
	forms := append(phrases(`le atiende|sprechen mit|speaking with|speaking to`), append(sureForms, openForms[:]...)...)
	for _, t := range turns {
		if t.Speaker != recaller.Assistant {
			continue
		}
		ws := wordsOf(t.Text)
		cased := strings.ToLower(t.Text) != t.Text
		for i := range ws {
			from := behind(ws, i, forms)
			if from > 0 && from < len(ws) && ws[from].nameLike(cased) && !questioned(ws, i) {
				out[ws[from].low] = true
			}
			if ws[i].nameLike(cased) && closed(ws, i+1) > 0 {
				out[ws[i].low] = true
			}
		}
	}
	return out
}

// questioned reports whether the sentence around i asks.
func questioned(ws []word, i int) bool {
	end := slices.IndexFunc(ws[i:], word.ends)
	return end >= 0 && ws[i+end].pause == '?'
}
