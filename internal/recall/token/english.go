package token

import "strings"

// plainForms has the plain form of English words whose forms a stemmer cannot bring together: strong verbs, plurals,
// and the short forms that people and speech recognisers write for the same spoken word. It is never changed.
var plainForms = func() map[string]string {
	out := map[string]string{}
	for group := range strings.SplitSeq(`
		eat ate eaten|become became|begin began begun|buy bought|break broke broken|bring brought|build built|
		come came|catch caught|choose chose chosen|drink drank drunk|drive drove driven|fall fell fallen|feed fed|
		feel felt|fly flew flown|forget forgot forgotten|fight fought|give gave given|get got gotten|grow grew grown|
		go went gone|hear heard|hold held|hide hid hidden|keep kept|know knew known|lay laid|learn learnt|lend lent|
		lose lost|make made|mean meant|meet met|pay paid|run ran|ride rode ridden|ring rang rung|say said|
		sing sang sung|see seen|send sent|shoot shot|show shown|sleep slept|sell sold|spend spent|speak spoke spoken|
		steal stole stolen|stand stood|swim swam swum|take taken took|teach taught|think thought|throw threw thrown|
		tell told|tear tore torn|understand understood|wear wore worn|wake woke woken|win won|write wrote written|
		child children kid kids|foot feet|man men|mouse mice|person people|tooth teeth|wife wives|woman women|
		doctor dr doc|mother mom mum mommy mummy|father dad daddy|grandmother grandma granny|grandfather grandpa|
		television tv|bicycle bike bikes|refrigerator fridge|appointment appt|information info`, "|") {
		forms := strings.Fields(group)
		for _, f := range forms[1:] {
			out[f] = forms[0]
		}
	}
	return out
}()
