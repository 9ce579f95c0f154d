package extract

import (
	"strings"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/speech"
)

// about is what a piece is about: a topic, and whose it is where it is not the caller's own.
type about struct {
	key    string
	kind   recaller.MemoryType
	single bool   // there can be but one such thing
	whose  string // wife, dog; "" for the caller's own
	weight float64
}

// topic is a matter that is worth knowing, by its words in the languages that are read.
type topic struct {
	key    string
	kind   recaller.MemoryType
	weight float64
	single bool
	denied bool // a "no" to a question about it says something
	words  string
}

// topics are told apart by single words; of several in a piece the heaviest counts, the first of equals.
var topics = []topic{
	{key: "allergy", kind: recaller.Fact, weight: 3, denied: true, words: `allergic allergy allergies intolerant intolerance coeliac celiac anaphylactic
		anaphylaxis epipen allergisch allergie allergien unverträglichkeit alérgico alérgica alergia alergias celíaco celíaca`},
	{key: "medication", kind: recaller.Wellbeing, weight: 2.5, denied: true, words: `medication medications medicine medicines meds tablet tablets pill pills
		insulin inhaler puffer antibiotic antibiotics steroid steroids statin statins penicillin sulfa aspirin ibuprofen metformin lisinopril warfarin ramipril enalapril amlodipine bisoprolol omeprazole atorvastatin
		levothyroxine thyroxine amoxicillin gabapentin sertraline
		paracetamol prescription prescriptions painkillers hormones chemo thinner thinners medikament medikamente tabletten blutverdünner antibiotikum
		penizillin medicina medicinas pastilla pastillas medicamento medicamentos penicilina insulina`},
	{key: "condition", kind: recaller.Wellbeing, weight: 2.5, words: `asthma diabetes diabetic arthritis cancer epilepsy epileptic pregnant migraine migraines
		depression stroke pacemaker dementia cataract cataracts hernia cholesterol thyroid eczema angina ulcer autistic autism adhd parkinson's alzheimer's
		infection infected surgery operation mri dialysis blind deaf disabled disability ibs copd hypertension reflux anaemia anemia gout operiert
		schwanger diabetiker zucker operation herzschrittmacher asma diabético diabética operaron cirugía embarazada meniscus`},
	{key: "health", kind: recaller.Wellbeing, weight: 1.5, words: `back hip knee knees shoulder ankle tooth teeth eye eyes eyesight hearing ear ears heart lungs leg legs foot
		feet neck spine wrist chest sick illness pain painful sore stiff swollen doctor gp specialist dizzy blood fever knie hüfte rücken
		zahn zähne herz augen auge schmerzen zahnfleisch krank rodilla cadera espalda muela diente corazón ojo ojos dolor duele enfermo enferma cojea cojeando`},
	{key: "mobility", kind: recaller.Context, weight: 2, words: `wheelchair walker crutches kneel stairs mobility rollstuhl rollator treppe treppen
		bastón silla escaleras`},
	{key: "mood", kind: recaller.Wellbeing, weight: 2, words: `frightened afraid scared lonely anxious depressed grieving exhausted tired angst einsam müde miedo sola cansada cansado`},
	{key: "sleep_quality", kind: recaller.Wellbeing, weight: 1, words: `sleep sleeping slept insomnia sleepless schlafe schlafen duermo`},
	{key: "diet", kind: recaller.Preference, weight: 2.5, words: `vegetarian vegan halal kosher gluten dairy lactose pescatarian vegetarier vegetarisch
		glutenfrei laktose vegetariano vegetariana`},
	{key: "smoking", kind: recaller.Context, weight: 2, single: true, denied: true, words: `smoke smokes smoking smoked smoker cigarettes vape rauche rauchen
		raucher fumo fumar`},
	{key: "alcohol", kind: recaller.Context, weight: 1.5, single: true, denied: true, words: `alcohol beers wine drinker alkohol`},
	{key: "death", kind: recaller.History, weight: 2, words: `died dead death passed funeral widow widower widowed deceased gestorben verstorben witwe witwer
		beerdigung murió fallecido falleció difunto viuda viudo descanse`},
	{key: "birthday", kind: recaller.Fact, weight: 2, words: `born birthday birthdate geboren geburtstag geburtsdatum nací cumpleaños nacimiento`},
	{key: "marriage", kind: recaller.Fact, weight: 2, words: `married divorced engaged separated anniversary verheiratet geschieden casado casada divorciado
		aniversario`},
	{key: "living_situation", kind: recaller.Context, weight: 2.25, single: true, words: `alone roommate roommates flatmate flatmates housemate alleine allein`},
	{key: "address", kind: recaller.Context, weight: 2, words: `address postcode zip live lives moved neighbourhood neighborhood straße strasse adresse wohne wohnen wohnung dirección vivo vivimos departamento
		colonia`},
	{key: "home", kind: recaller.Context, weight: 1, words: `house bungalow floor elevator lift basement attic garden yard landlord lease rent mortgage porch
		ceiling roof boiler heater immersion kitchen bathroom haus stock aufzug keller garten vermieter casa piso edificio elevador`},
	{key: "access", kind: recaller.Preference, weight: 1.5, words: `door gate keysafe lockbox buzzer doorbell intercom driveway entrance parking garage
		key keys tür schlüssel klingel hof einfahrt eingang puerta llave llaves timbre portón estacionamiento`},
	{key: "vehicle", kind: recaller.Context, weight: 1.5, words: `car truck van pickup hatchback sedan suv motorcycle motorbike lorry tractor boat caravan
		camper trailer mileage auto wagen fahrzeug coche carro camioneta`},
	{key: "work", kind: recaller.Context, weight: 1.5, words: `job jobs shift shifts employed unemployed employer office shop
		boss retire retired career apprentice freelance arbeite arbeiten schicht rentner rentnerin büro werkstatt trabajo trabaja
		trabajamos turno jubilado jubilada oficina taller`},
	{key: "insurance", kind: recaller.Context, weight: 2, words: `insured insurance deductible medicare medicaid versichert versicherung versicherungsnummer
		seguro póliza`},
	{key: "money", kind: recaller.Context, weight: 1, words: `budget afford broke deposit pension refund check cheque cash invoice invoices bill bills charged
		voucher overdraft savings salary rechnung rechnungen geld factura facturas dinero cobraron`},
	{key: "contact_preference", kind: recaller.Preference, weight: 0.75, words: `call calls ring rings phone phones text texts email emails mail voicemail letter post
		landline cell mobile whatsapp anrufen anruf sms mailen telefon festnetz handy llamar llame llamen llámeme mensaje mensajes correo celular teléfono`},
	{key: "availability", kind: recaller.Preference, weight: 1.5, words: `mondays tuesdays wednesdays thursdays fridays saturdays sundays weekdays weekends
		mornings afternoons evenings montags dienstags mittwochs donnerstags freitags samstags sonntags vormittags nachmittags abends lunes martes jueves
		miércoles viernes sábados domingos`},
	{key: "appointment", kind: recaller.FollowUp, weight: 1.75, words: `appointment appointments termin arzttermin cita`},
	{key: "reference", kind: recaller.Context, weight: 1, words: `number reference ref member membership account policy claim confirmation
		booking serial license licence registration nummer kundennummer vertrag kennzeichen número póliza contrato cuenta pedido`},
	{key: "study", kind: recaller.Context, weight: 1.5, words: `school university college student studying degree exam exams final dorm course thesis schule uni
		studium studiere prüfung escuela universidad estudio estudiante examen`},
	{key: "interest", kind: recaller.Preference, weight: 1, words: `hobby hobbies play plays playing club choir band yoga hiking gardening chess golf fishing
		knit knitting quilt painting guitar piano violin football soccer tennis marathon dance dancing baking cooking church spiele garten
		singe verein juego toco canto`},
	{key: "language", kind: recaller.Fact, weight: 1, words: `speak speaks spanish english german french polish mandarin arabic`},
}

// topicOf finds a topic by its word.
var topicOf = func() map[string]*topic {
	out := map[string]*topic{}
	for i := range topics {
		for w := range strings.FieldsSeq(topics[i].words) {
			if old, ok := out[w]; !ok || old.weight < topics[i].weight {
				out[w] = &topics[i]
			}
		}
	}
	return out
}()

// kin are the people of a household and family, and what lives there, in the word that their key has.
var kin = func() map[string]string {
	out := map[string]string{}
	for key, words := range map[string]string{
		"wife": "wife missus ehefrau esposa señora frau", "husband": "husband hubby ehemann mann esposo marido", "partner": "partner fiancé fiancée fiance fiancee freundin freund novia novio",
		"girlfriend": "girlfriend", "boyfriend": "boyfriend",
		"mother": "mother mom mum mam mama mummy ma mutter mamá madre", "father": "father dad papa daddy pop vater papá padre",
		"parents": "parents folks eltern padres", "son": "son sohn hijo", "daughter": "daughter tochter hija", "sons": "sons söhne", "daughters": "daughters töchter hijas",
		"children": "children kids kinder hijos", "child": "child kid baby toddler kind bebé", "brother": "brother bruder hermano", "sister": "sister schwester hermana",
		"siblings": "siblings geschwister", "brothers": "brothers brüder hermanos", "sisters": "sisters schwestern hermanas",
		"aunt": "aunt auntie aunty tante tía", "uncle": "uncle onkel tío", "niece": "niece nichte sobrina", "nephew": "nephew neffe sobrino", "cousin": "cousin cousine primo prima",
		"grandson": "grandson enkel nieto", "granddaughter": "granddaughter enkelin nieta", "grandchildren": "grandchildren grandkids enkelkinder nietos",
		"grandmother": "grandmother grandma granny nan nana gran grandmas oma großmutter abuela", "grandfather": "grandfather grandpa grandad granddad opa großvater abuelo",
		"in_laws":  "schwiegermutter suegra cuñado schwager",
		"roommate": "roommate roommates flatmate flatmates housemate mitbewohner mitbewohnerin", "neighbour": "neighbour neighbor neighbours neighbors nachbar nachbarin vecina vecino",
		"landlord": "landlord landlady vermieter vermieterin casero", "boss": "boss manager chef chefin jefe jefa", "friend": "friend mate amigo amiga",
		"carer": "carer caregiver pflegerin cuidadora",
		"dog":   "dog dogs puppy hund perro perrito perra", "cat": "cat cats kitten katze kater gato gata", "bird": "budgie parrot canary bird wellensittich perico", "horse": "horse pony pferd caballo",
		"rabbit": "rabbit bunny kaninchen conejo", "pet": "hamster goldfish tortoise turtle goat goats chickens hens",
	} {
		for w := range strings.FieldsSeq(words) {
			out[w] = key
		}
	}
	return out
}()

// pets are the keys of kin that one has, and is not related to.
var pets = speech.Set("dog cat bird horse rabbit pet")
