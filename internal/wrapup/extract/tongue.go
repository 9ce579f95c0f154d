package extract

import (
	"slices"
	"strings"

	"github.com/recallerhq/recaller/internal/recall/token"
	"github.com/recallerhq/recaller/internal/speech"
)

// tongue is what a language says of itself in closed classes of words.
type tongue struct {
	self     map[string]bool // the caller as subject
	own      map[string]bool // what is the caller's
	mine     map[string]bool // the caller as object
	cond     map[string]bool // what begins a condition
	unreal   map[string]bool // wishes and suppositions
	told     map[string]bool // verbs by which others are quoted
	hedge    map[string]bool // doubt
	lasting  map[string]bool // habits, stretches of time
	moment   map[string]bool // the call itself
	verbs    map[string]bool // what a caller does in any call: thinking, asking, thanking, wanting
	prelude  map[string]bool // what may stand before a sentence's first word
	denial   map[string]bool
	existed  map[string]bool // of the past
	forget   map[string]bool // verbs that ask for words to be forgotten
	small    map[string]bool // words that say nothing of the matter, beside the language's stop words
	language token.Language
}

var tongues = map[token.Language]*tongue{
	token.English: {
		language: token.English,
		self:     speech.Set("i we"),
		own:      speech.Set("my our mine ours"),
		mine:     speech.Set("me us"),
		cond:     speech.Set("if unless suppose supposing imagine whether"),
		unreal:   speech.Set("wish kidding joking pretend hypothetically"),
		told:     speech.Set("says said thinks believes goes tells told asked reckons wrote writes saying like"),
		hedge:    speech.Set("maybe perhaps probably might think guess suppose reckon possibly"),
		lasting:  speech.Set("always never every usually normally generally since until till used anymore often sometimes only years regularly whole"),
		moment:   speech.Set("moment minute question speaking website issue problem help idea advice thoughts tips suggestions"),
		verbs: speech.Set(`think guess know mean see understand hope want need wonder believe suppose say tell hear appreciate thank bet reckon swear promise
			remember forget ask wish apologize apologise assume imagine expect figure agree look try wait get go come do feel figured said thought
			wanted needed called asked told tried looked hear read notice love like let look check make give`),
		prelude: speech.Set("and but so well oh yeah yes no okay ok um uh er just please listen look also then cause because like now actually ah hi hello"),
		denial:  speech.Set("no not never nothing none nope nah without nobody nor"),
		existed: speech.Set("was were had did got went came broke lost took gave found left felt fell made said told bought sold met saw kept grew began started died became drove ran"),
		forget:  speech.Set("forget delete erase strike remove"),
		small:   speech.Set("got get last like really going thing things lot bit kind sort one ones way good great nice actually maybe yeah well know mean think want need right sure little much many come came go went put take took make made let still even back around also"),
	},
	token.German: {
		language: token.German,
		self:     speech.Set("ich wir"),
		own:      speech.Set("mein meine meinen meinem meiner meines unser unsere unseren unserem unserer"),
		mine:     speech.Set("mir mich uns"),
		cond:     speech.Set("wenn falls ob angenommen"),
		unreal:   speech.Set("würde würden hätte hätten wäre wären könnte"),
		told:     speech.Set("sagt sagte meint meinte fragt fragte"),
		hedge:    speech.Set("vielleicht wahrscheinlich glaube vermutlich denke"),
		lasting:  speech.Set("immer nie niemals jeden jede jedes seit bis früher regelmäßig manchmal nur jahre jahren meistens oft"),
		moment:   speech.Set("moment frage entschuldigung gerade"),
		verbs:    speech.Set("denke glaube weiß meine möchte brauche will wollte danke rufe hoffe frage verstehe bitte kann könnte würde hätte"),
		prelude:  speech.Set("und aber also ja nein nee äh ähm gut dann weil denn naja ach so"),
		denial:   speech.Set("nicht nein kein keine keinen nie nichts ohne nee"),
		existed:  speech.Set("war waren hatte hatten wurde ging kam gab ist hat haben bin habe hab"),
		forget:   speech.Set("vergessen vergessen streichen löschen lösch streich vergiss"),
		small:    speech.Set("ja mal schon noch halt eben doch gut auch ganz mehr sehr"),
	},
	token.Spanish: {
		language: token.Spanish,
		self:     speech.Set("yo nosotros tengo soy vivo trabajo tomo uso prefiero estoy tenemos somos vivimos cuido doy padezco juego"),
		own:      speech.Set("mi mis nuestro nuestra nuestros nuestras mío mía"),
		mine:     speech.Set("me nos"),
		cond:     speech.Set("si"),
		unreal:   speech.Set("quisiera gustaría ojalá sería"),
		told:     speech.Set("dice dijo dicen decía"),
		hedge:    speech.Set("quizás quizá creo tal"),
		lasting:  speech.Set("siempre nunca cada desde hasta todos todas años solo sólo veces"),
		moment:   speech.Set("momento pregunta disculpe perdón"),
		verbs:    speech.Set("creo sé quiero quisiera necesito llamo espero entiendo gracias"),
		prelude:  speech.Set("y pero pues bueno sí no este mire entonces porque es que ay o sea fíjese"),
		denial:   speech.Set("no nunca nada sin ni"),
		existed:  speech.Set("fue era fueron estaba tuve tenía trajo dijo murió"),
		forget:   speech.Set("olvide olvida borre borra olvídelo"),
		small:    speech.Set("pues bien muy más ya también así verdad qué eso"),
	},
}

// contractions are written out, so that what recognisers write without an apostrophe is read alike.
var contractions = func() map[string][]string {
	out := map[string][]string{}
	for p := range strings.SplitSeq(`im i am|i'm i am|ive i have|i've i have|we've we have|weve we have|we're we are|i'd i would|we'd we would|i'll i
		will|we'll we will|don't do not|dont do not|doesn't does not|doesnt does not|didn't did not|didnt did not|can't can not|cant can not|cannot can
		not|won't will not|wont will not|isn't is not|isnt is not|aren't are not|wasn't was not|haven't have not|havent have not|hasn't has not|haven't have not|ain't am
		not|aint am not|couldn't could not|wouldn't would not|gotta have to|wanna want to|gonna going to|it's it is|he's he is|she's she is|hes he
		is|shes she is|that's that is|thats that is|there's there is|theres there is|they're they are|theyre they are|should've should have|cuz because|y'all you|yall you|em them`, "|") {
		f := strings.Fields(p)
		out[f[0]] = f[1:]
	}
	return out
}()

// read returns the words of a text in lower case, contractions written out but for the German "im".
func (l *tongue) read(text string) []string {
	var out []string
	for _, w := range speech.Words(text) {
		if long, ok := contractions[w.Text]; ok && (w.Text != "im" || l.language != token.German) {
			out = append(out, long...)
			continue
		}
		out = append(out, w.Text)
	}
	return out
}

// content are the words that say something of the matter.
func (l *tongue) content(ws []string) []string {
	var out []string
	for _, w := range ws {
		w = strings.TrimSuffix(w, "'s")
		if len(w) < 3 || l.language.Stop(w) || token.Stop(w) || l.small[w] || l.hedge[w] || l.prelude[w] || l.self[w] || l.own[w] || l.denial[w] ||
			speech.IsNumber(w) || slices.Contains(out, w) {
			continue
		}
		out = append(out, w)
	}
	return out
}

func has(ws []string, in map[string]bool) bool {
	return slices.ContainsFunc(ws, func(w string) bool { return in[w] })
}
