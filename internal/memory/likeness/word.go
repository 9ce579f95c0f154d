package likeness

import "strings"

// american returns a folded word in American spelling. A word that has only one spelling may come out as letters that
// no word has.
func american(w string) string {
	if a, ok := spellings[w]; ok {
		return a
	}
	if len(w) < 5 {
		return w
	}
	for i := 0; i < len(endings); i += 2 {
		if stem, ok := strings.CutSuffix(w, endings[i]); ok && len(stem) >= 4 {
			return stem + endings[i+1]
		}
	}
	for i := 0; i < len(middles); i += 2 {
		if strings.Contains(w, middles[i]) {
			return strings.Replace(w, middles[i], middles[i+1], 1)
		}
	}
	return w
}

var (
	// endings are pairs, British before American. They also change words that have only one spelling, but into nothing
	// that is another word, so that does no harm.
	endings = strings.Fields(`ise ize ised ized ises izes ising izing isation ization isations izations yse yze ysed yzed
		ysing yzing`)

	middles = strings.Fields(`colour color favour favor flavour flavor neighbour neighbor honour honor humour humor
		labour labor behaviour behavior harbour harbor odour odor travell travel cancell cancel counsell counsel jewell jewel
		pyjama pajama
		paediatr pediatr anaem anem anaesth anesth diarrhoea diarrhea gynaec gynec haemo hemo orthopaed orthoped oestro estro
		theatre theater programme program moustache mustache yoghurt yogurt doughnut donut`)
)

var spellings = map[string]string{
	"centre": "center", "centres": "centers", "litre": "liter", "litres": "liters",
	"metre": "meter", "metres": "meters", "grey": "gray",
	"defence": "defense", "licence": "license", "licences": "licenses",
	"practise": "practice", "cosy": "cozy", "whisky": "whiskey",
	"mum": "mom", "mums": "moms", "catalogue": "catalog", "dialogue": "dialog",
	"fibre": "fiber", "ageing": "aging", "plough": "plow", "tyre": "tire", "tyres": "tires", "jewellery": "jewelry",
}

// singular returns a word without its ending of number or person, as far as its letters show it. The result need not be
// a word; it need only be the same for both forms. Endings of tense stay, because who lived somewhere does not live
// there. So does "-ing", because who likes fishing may not like fish.
func singular(w string) string {
	if one, ok := plurals[w]; ok {
		return one
	}
	switch {
	case len(w) < 4 || strings.HasSuffix(w, "ss") || strings.HasSuffix(w, "us") || strings.HasSuffix(w, "is"):
		return w
	case strings.HasSuffix(w, "ies") && len(w) > 4:
		return w[:len(w)-3] + "y"
	case strings.HasSuffix(w, "ches"), strings.HasSuffix(w, "shes"),
		strings.HasSuffix(w, "sses"), strings.HasSuffix(w, "xes"):
		return w[:len(w)-2]
	}
	return strings.TrimSuffix(w, "s")
}

var plurals = map[string]string{
	"children": "child", "grandchildren": "grandchild", "men": "man",
	"women": "woman", "people": "person", "wives": "wife",
	"knives": "knife", "feet": "foot", "teeth": "tooth", "mice": "mouse",
	"movies": "movie", "allergies": "allergy", "glasses": "glasses",
	"news": "news", "diabetes": "diabetes", "series": "series",
	"species": "species", "address": "address", "status": "status",
}
