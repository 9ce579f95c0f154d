package extract

// Words that make of what follows in their clause something else than a statement of fact.
var (
	unreals = set(`if unless whether suppose supposing imagine pretend assuming wish wishes hope hoping maybe perhaps might would could
		should than says said saying tells told asked thinks thinking thought believes wrote writes whenever until till how why lets
		once quote example hypothetically because_if`)
	// asksFor before "I" turn it into a question or a relative clause.
	inverts = set(`do did can could should would will may might must am was were have had shall is are that which who whom what how why
		where when whether than as everything things something thing all whatever whoever anything nothing does if until while like
		before after without`)
	// starters may stand right before "I" in the middle of a sentence.
	starters = set(`and but so because since or also then well yes yeah no ok okay hi hello hey actually basically honestly plus though
		although cause cos now currently today lately recently personally way think guess believe know mean that's fact is unfortunately
		yep sure right thanks thank mention anyway besides however still oh you too currently sorry`)
	articles = set(`the a an any some those these all every most only first best last one`)
	// openers begin a question where a clause begins.
	openers = set(`what how which who why where whose can could do did does would will is are have has should may shall any was were am`)
	// addressed after an opener make a question anywhere in a sentence that ends in a question mark.
	addressed = set(`you i there it we they he she this that these those anyone someone your my the`)
)

// asking returns the index from which on a sentence asks; its length if it does not.
func asking(s sentence, mark bool) int {
	n := len(s.words)
	for i := 0; i < n; i++ {
		starts := i == 0 || s.words[i-1].after != 0 || s.in(i-1, starters) && !s.is(i-1, "is")
		if !s.in(i, openers) {
			if s.w(i) == "when" && starts && s.in(i+1, openers) {
				return i
			}
			continue
		}
		led := s.in(i+1, addressed)
		if i > 0 && !mark && s.w(i-1) == "i" {
			continue
		}
		switch {
		case starts && mark && !(s.w(i) == "any" && i > 0 && s.words[i-1].after == 0):
			return i
		case i == 0 && (led || s.in(i, questionWords)) && !s.is(0, "will"):
			return i
		case mark && led && (s.w(i+1) == "you" || s.w(i+1) == "there") && s.w(i-1) != "i" && s.w(i-1) != "we":
			return i
		case !mark && led && s.w(i+1) == "you" && (s.is(i, "can") || s.is(i, "could") || s.is(i, "do") || s.is(i, "would")):
			return i
		}
	}
	if mark {
		return 0
	}
	return n
}

var questionWords = set(`what how which who why whose`)

// unreal reports whether nothing in the sentence can be taken at its word.
func (s sentence) unreal() bool {
	for i := range s.words {
		switch s.w(i) {
		case "pretend", "imagine", "hypothetically", "kidding", "joking", "fictional", "supposedly", "quote":
			return true
		case "i":
			if s.is(i+1, "want", "you", "to") || s.is(i+1, "need", "you", "to") || s.is(i+1, "was", "wondering") && i == 0 {
				return true
			}
		}
	}
	return false
}

// asserts reports whether the "I" or "we" at i begins a statement of the caller's own.
func (s sentence) asserts(i int) bool {
	if i >= s.ask || s.in(i-1, inverts) && !s.thatStates(i-1) && s.words[i-1].after == 0 {
		return false
	}
	if i > 0 && s.words[i-1].after == 0 && !s.in(i-1, starters) && !s.thatStates(i-1) {
		if !s.unmarked && !s.datedBefore(i) || (s.in(i-2, articles) || s.in(i-3, articles)) && !s.is(i-3, "in", "the", "past") {
			return false
		}
	}
	return s.real(i)
}

// mentions reports whether the "my" at i may be believed, wherever in a statement it stands.
func (s sentence) mentions(i int) bool { return i < s.ask && s.real(i) }

// real looks back through the clause before i for words that make it unreal.
func (s sentence) real(i int) bool {
	for j, n := i-1, 0; j >= 0 && n < 12; j, n = j-1, n+1 {
		if s.words[j].after != 0 && s.words[j].after != '"' && n > 0 || s.words[j].after == ',' && n == 0 && !s.in(j, unreals) {
			return true
		}
		if s.words[j].after == '"' {
			return false
		}
		if s.in(j, unreals) && !(s.w(j-1) == "i" && (s.w(j) == "said" || s.w(j) == "told")) && !s.is(j-1, "as", "said") {
			return false
		}
	}
	return true
}

// thatStates reports whether the "that" or "is" at i introduces a statement: "I should mention that", "the fact is".
func (s sentence) thatStates(i int) bool {
	switch s.w(i) {
	case "that":
		return s.in(i-1, statesVerbs)
	case "is":
		return s.is(i-1, "thing") || s.is(i-1, "fact") || s.is(i-1, "problem") || s.is(i-1, "truth")
	}
	return false
}

var statesVerbs = set(`mention know say forgot add you realize remember glad fact`)

// datedBefore reports whether the words before i are a time, as in "last week I moved".
func (s sentence) datedBefore(i int) bool { return s.in(i-1, timeNouns) && i <= 5 }

var timeNouns = set(`week month year weekend morning night ago monday tuesday wednesday thursday friday saturday sunday january february
	march april may june july august september october november december summer winter spring fall yesterday today days past`)
