package summary

// Some things matter in a life whatever the conversation is about: health, family, home, work, money, what is due. Their
// words weigh more than others that are as rare. The table is made of general knowledge, not of any conversation.

// matterful is how much more a word weighs that names something that matters.
const matterful = 1.5

// matters are such words, as spoken; they are compared by stem.
const matters = `
	pain ache aching hurt hurting sore tender burning stinging itch itchy itching rash swollen swelling swell lump bleed bleeding blood bruise
	cough coughing phlegm sputum wheeze wheezing breathless breathing breath sneeze throat nose runny congested chest tight
	fever temperature chills shivering sweating headache migraine dizzy dizziness faint fainted vertigo numb numbness tingling weakness stiff stiffness
	nausea nauseous vomit vomiting sick diarrhoea diarrhea constipation stool stools bowels urine pee peeing toilet tummy stomach abdominal cramp cramps bloated
	tired tiredness fatigue exhausted energy sleep sleeping insomnia appetite weight thirsty palpitations vision blurred eyesight hearing
	allergy allergic allergies asthma eczema dermatitis psoriasis diabetes diabetic hypertension cholesterol thyroid arthritis anaemia anemia epilepsy
	angina stroke cancer tumour tumor infection viral virus bacterial flu influenza pneumonia bronchitis sinusitis gastroenteritis cystitis
	anxiety anxious depression depressed panic stress stressed dementia pregnant pregnancy menopause period miscarriage operation surgery fracture sprain
	medication medicine tablet tablets pill pills inhaler inhalers steroid steroids antibiotic antibiotics paracetamol ibuprofen aspirin insulin cream ointment
	emollient antihistamine antihistamines antidepressant painkiller painkillers dose prescription prescribe prescribed vaccine injection physiotherapy therapy
	smoke smoker smoking alcohol
	wife husband partner daughter son mother mum mom father dad sister brother grandson granddaughter grandchildren children baby grandmother grandfather
	widow widowed died funeral wedding birthday
	lost stolen broken broke leaking leak damaged fault faulty emergency accident crash fraud scam locked refund overcharged complaint cancel cancelled
	appointment booking reservation delivery repair replacement interview exam surgery hospital clinic surgeon doctor nurse
	rent mortgage loan debt salary pension insurance claim policy job unemployed retired moving`

// matterStems are the stems of what matters.
func matterStems() map[string]bool {
	out := map[string]bool{}
	for w := range words(matters) {
		out[stemmer{}.stem(w)] = true
	}
	return out
}

// matter is the factor by which a stem weighs more.
func (lx *lexicon) matter(stem string) float64 {
	if lx.matters[stem] {
		return matterful
	}
	return 1
}
