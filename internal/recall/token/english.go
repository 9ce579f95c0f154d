package token

// irregular returns the plain form of an English word whose forms a stemmer cannot bring together, or tok itself:
// strong verbs and plurals, and the short forms that speech recognisers and people write for the same spoken word.
func irregular(tok string) string {
	switch tok {
	case "ate", "eaten":
		return "eat"
	case "became":
		return "become"
	case "began", "begun":
		return "begin"
	case "bought":
		return "buy"
	case "broke", "broken":
		return "break"
	case "brought":
		return "bring"
	case "built":
		return "build"
	case "came":
		return "come"
	case "caught":
		return "catch"
	case "chose", "chosen":
		return "choose"
	case "drank", "drunk":
		return "drink"
	case "drove", "driven":
		return "drive"
	case "fell", "fallen":
		return "fall"
	case "fed":
		return "feed"
	case "felt":
		return "feel"
	case "flew", "flown":
		return "fly"
	case "forgot", "forgotten":
		return "forget"
	case "fought":
		return "fight"
	case "gave", "given":
		return "give"
	case "got", "gotten":
		return "get"
	case "grew", "grown":
		return "grow"
	case "went", "gone":
		return "go"
	case "heard":
		return "hear"
	case "held":
		return "hold"
	case "hid", "hidden":
		return "hide"
	case "kept":
		return "keep"
	case "knew", "known":
		return "know"
	case "laid":
		return "lay"
	case "learnt":
		return "learn"
	case "lent":
		return "lend"
	case "lost":
		return "lose"
	case "made":
		return "make"
	case "meant":
		return "mean"
	case "met":
		return "meet"
	case "paid":
		return "pay"
	case "ran":
		return "run"
	case "rode", "ridden":
		return "ride"
	case "rang", "rung":
		return "ring"
	case "said":
		return "say"
	case "sang", "sung":
		return "sing"
	case "seen":
		return "see"
	case "sent":
		return "send"
	case "shot":
		return "shoot"
	case "shown":
		return "show"
	case "slept":
		return "sleep"
	case "sold":
		return "sell"
	case "spent":
		return "spend"
	case "spoke", "spoken":
		return "speak"
	case "stole", "stolen":
		return "steal"
	case "stood":
		return "stand"
	case "swam", "swum":
		return "swim"
	case "taken", "took":
		return "take"
	case "taught":
		return "teach"
	case "thought":
		return "think"
	case "threw", "thrown":
		return "throw"
	case "told":
		return "tell"
	case "tore", "torn":
		return "tear"
	case "understood":
		return "understand"
	case "wore", "worn":
		return "wear"
	case "woke", "woken":
		return "wake"
	case "won":
		return "win"
	case "wrote", "written":
		return "write"
	case "children", "kid", "kids":
		return "child"
	case "feet":
		return "foot"
	case "men":
		return "man"
	case "mice":
		return "mouse"
	case "people":
		return "person"
	case "teeth":
		return "tooth"
	case "wives":
		return "wife"
	case "women":
		return "woman"
	case "dr", "doc":
		return "doctor"
	case "mom", "mum", "mommy", "mummy":
		return "mother"
	case "dad", "daddy":
		return "father"
	case "grandma", "granny":
		return "grandmother"
	case "grandpa":
		return "grandfather"
	case "tv":
		return "television"
	case "bike", "bikes":
		return "bicycle"
	case "fridge":
		return "refrigerator"
	case "appt":
		return "appointment"
	case "info":
		return "information"
	}
	return tok
}
