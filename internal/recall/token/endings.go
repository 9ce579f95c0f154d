package token

// Pairs of an ending of a folded word and what replaces it, before or after stemming. The first ending that fits is
// used.
var (
	spanishEndings = []string{
		"ares", "ar", "eres", "er", "ades", "ad", "acion", "ación", "ucion", "ución", "logia", "logía", "logias", "logías",
		"iamos", "íamos", "ian", "ían", "ias", "ías", "ia", "ía",
	}
	// busqué, buscar; luz, luces; pagué, pagar
	spanishStemEndings = []string{"qu", "c", "z", "c", "gu", "g", "ari", "", "i", ""}

	frenchEndings = []string{
		"ees", "é", "ee", "é", "ites", "ités", "ite", "ité", "ieres", "ières", "iere", "ière", "erent", "èrent",
		"ment", "ment", "ments", "ment", "ents", "e", "ent", "e", "ions", "ion", "os", "o", "us", "u",
	}
	frenchStemEndings = []string{"dr", "d", "y", "i"}

	portugueseEndings = []string{
		"coes", "ção", "cao", "ção", "oes", "ão", "ais", "al", "eis", "el", "ois", "ol", "ens", "em", "ns", "m",
		"iamos", "íamos", "iam", "íam", "ias", "ías", "ia", "ía",
	}
	portugueseStemEndings = []string{"qu", "c", "gu", "g"} // fiquei, ficar; paguei, pagar

	dutchEndings = []string{"tjes", "", "tje", "", "jes", "", "je", ""}

	hungarianEndings = []string{
		"bol", "ból", "rol", "ról", "tol", "tól", "nal", "nál", "nel", "nél", "ert", "ért", "kent", "ként",
	}

	italianEndings = []string{"ita", "ità"}

	turkishStemEndings = []string{"g", "k"}

	russianEndings = []string{
		"аи", "ай", "еи", "ей", "ии", "ий", "ои", "ой", "уи", "уй", "ыи", "ый", "эи", "эй", "юи", "юй", "яи", "яй",
		"аися", "айся", "еися", "ейся", "иися", "ийся", "оися", "ойся", "ыися", "ыйся",
		"аите", "айте", "еите", "ейте", "оите", "ойте", "уите", "уйте", "юите", "юйте", "яите", "яйте",
		"аитесь", "айтесь", "еитесь", "ейтесь", "уитесь", "уйтесь", "яитесь", "яйтесь",
	}
)
