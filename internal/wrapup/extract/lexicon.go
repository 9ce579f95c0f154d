package extract

import "strings"

// Closed lists of words. What is not in them is not taken, so they hold what callers talk about, not everything.
var (
	dayNames   = set(`monday tuesday wednesday thursday friday saturday sunday`)
	monthNames = set(`january february march april may june july august september october november december`)

	numberWords = set(`one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen
		nineteen twenty thirty forty fifty sixty seventy eighty ninety`)

	// relations that one has one of, and that one may have several of.
	soleRelations = set(`wife husband spouse partner mother father mom mum dad mommy daddy fiance fiancé fiancee fiancée girlfriend boyfriend
		ex-wife ex-husband stepmother stepfather stepmom stepdad mother-in-law father-in-law`)
	manyRelations = set(`son daughter brother sister grandson granddaughter grandchild grandmother grandfather grandma grandpa granddad nan aunt uncle
		cousin nephew niece stepson stepdaughter twin sister-in-law brother-in-law son-in-law daughter-in-law kid child roommate flatmate
		housemate carer caregiver`)
	relationPlurals = set(`children kids sons daughters siblings brothers sisters grandchildren grandkids grandsons granddaughters
		great-grandchildren twins nieces nephews stepchildren roommates flatmates housemates`)
	petNouns = set(`dog cat puppy kitten parrot bird hamster rabbit horse pony turtle tortoise fish goldfish lizard gecko snake budgie canary
		ferret poodle labrador terrier retriever beagle chihuahua corgi bulldog dachshund spaniel collie shepherd pug husky cockatiel`)
	petPlurals = set(`dogs cats puppies kittens birds rabbits horses chickens hens fish parrots`)

	conditions = set(`asthma diabetes eczema arthritis hypertension epilepsy migraines ibs copd glaucoma osteoporosis anemia anaemia psoriasis
		dementia alzheimer's parkinson's cancer hayfever hypothyroidism hyperthyroidism celiac coeliac crohn's colitis endometriosis pcos adhd
		dyslexia autism depression fibromyalgia gout tinnitus vertigo insomnia tendonitis sciatica scoliosis lupus angina emphysema
		cataracts rosacea bronchitis gerd ptsd ocd sinusitis high_blood_pressure high_cholesterol type_1_diabetes type_2_diabetes
		type_one_diabetes type_two_diabetes hay_fever heart_disease kidney_disease multiple_sclerosis acid_reflux sleep_apnea atrial_fibrillation
		an_underactive_thyroid underactive_thyroid celiac_disease coeliac_disease crohn's_disease thoracic_outlet_syndrome plantar_fasciitis
		chronic_back_pain chronic_fatigue_syndrome lactose_intolerance a_pacemaker chronic_sinusitis bipolar_disorder carpal_tunnel
		parkinson's_disease alzheimer's_disease heart_failure irritable_bowel_syndrome breast_cancer prostate_cancer diverticulitis anxiety`)
	conditionAdjectives = map[string]string{
		"diabetic": "diabetes", "asthmatic": "asthma", "epileptic": "epilepsy", "coeliac": "celiac", "celiac": "celiac", "dyslexic": "dyslexia",
		"anemic": "anemia", "anaemic": "anemia", "autistic": "autism",
	}
	diets = set(`vegetarian vegan pescatarian pescetarian lactose-intolerant lactose_intolerant gluten-free gluten_intolerant dairy-free kosher halal
		gluten-intolerant`)
	states = map[string]string{
		"retired": "employment", "self-employed": "employment", "unemployed": "employment", "married": "marital_status", "divorced": "marital_status",
		"widowed": "marital_status", "engaged": "marital_status", "single": "marital_status", "pregnant": "pregnancy", "colorblind": "vision",
		"blind": "vision", "deaf": "hearing", "left-handed": "handedness", "bilingual": "languages",
	}
	medications = set(`metformin insulin ramipril lisinopril amlodipine atorvastatin simvastatin statins aspirin warfarin omeprazole lansoprazole
		levothyroxine sertraline citalopram fluoxetine prozac zoloft salbutamol ventolin losartan gabapentin prednisone bisoprolol microgynon
		apixaban clopidogrel mebeverine adderall ritalin xanax lexapro eliquis xarelto naproxen furosemide methotrexate hydroxychloroquine
		bendroflumethiazide antidepressants thyroxine beta-blockers blood_thinners the_pill the_combined_pill the_mini-pill an_inhaler
		blood_pressure_tablets blood_pressure_medication a_blue_inhaler combined_pill`)
	aids = set(`walker cane wheelchair stick crutches hearing_aid hearing_aids cpap inhaler zimmer frame scooter mobility_scooter glasses
		contacts dentures pacemaker rollator stairlift walking_stick walking_frame cpap_machine reading_glasses contact_lenses`)

	events = set(`appointment surgery operation interview exam meeting scan checkup check-up procedure biopsy trip vacation holiday wedding
		party flight reunion recital graduation presentation conference cruise date test colonoscopy physical treatment hearing birthday anniversary
		funeral concert visit delivery tournament race marathon deadline reservation`)
	tripNouns = set(`trip vacation holiday wedding party cruise visit move reunion honeymoon getaway retreat tour dinner birthday anniversary shower
		marathon baby_shower trips hike celebration road_trip picnic barbecue bbq event expedition`)

	instruments = set(`piano guitar violin cello drums flute trumpet saxophone clarinet ukulele bass harp keyboard organ banjo accordion viola
		harmonica trombone oboe`)
	sports = set(`golf tennis football soccer basketball baseball softball chess bridge poker pickleball badminton volleyball hockey rugby cricket
		squash bowls bingo darts pool snooker ping-pong table_tennis video_games board_games lacrosse racquetball dominoes cards bowling d&d dungeons`)
	hobbyVerbs = set(`collect knit paint garden crochet sew quilt bake sketch meditate coach volunteer foster compose sculpt sing dance`)
	makes      = set(`toyota honda ford chevrolet chevy nissan subaru bmw audi mercedes mercedes-benz volkswagen vw hyundai kia mazda jeep tesla lexus volvo
		dodge gmc ram buick cadillac chrysler fiat mini porsche jaguar mitsubishi acura infiniti lincoln saab skoda renault peugeot vauxhall harley
		ducati yamaha kawasaki suzuki land range`)
	belongings = set(`car truck van bike bicycle motorcycle boat garden house apartment condo flat piano guitar violin camera laptop telescope camper rv
		farm cabin cottage pool greenhouse motorhome scooter kayak canoe allotment backyard lens keyboard record_player sewing_machine drone tablet
		printer smartphone smartwatch treadmill`)

	languages = set(`spanish french german italian portuguese mandarin chinese japanese korean arabic hindi russian polish dutch swedish greek turkish
		tagalog vietnamese english cantonese hebrew urdu bengali punjabi welsh irish latin asl`)

	dwellings = set(`apartment flat house condo home bungalow cottage trailer dorm halls townhouse studio duplex room penthouse loft
		farm farmhouse building complex neighborhood neighbourhood area city town village suburb suburbs countryside community island cabin
		basement facility coast mountains state country street`)

	// vague words point outside of the sentence; a value with one of them says nothing by itself.
	vague = set(`it this that these those them him her he she they you your yours there here such its their his hers something anything someone somebody everything
		stuff things thing what which idea ideas suggestion suggestions recommendation recommendations advice option options
		one ones some any same others other another question questions problem concerns answer help tip tips example examples`)

	occupationEnds = []string{
		"teacher", "nurse", "doctor", "engineer", "lawyer", "driver", "manager", "accountant", "developer", "designer", "writer", "artist",
		"scientist", "professor", "librarian", "therapist", "pharmacist", "dentist", "chef", "cook", "baker", "farmer", "carpenter", "plumber", "electrician", "mechanic",
		"analyst", "consultant", "assistant", "secretary", "receptionist", "cashier", "waiter", "waitress", "bartender", "barista", "photographer", "musician", "actor", "actress",
		"singer", "pilot", "soldier", "marine", "veteran", "firefighter", "policeman", "officer", "paramedic", "surgeon", "psychologist", "psychiatrist", "counselor", "attorney",
		"paralegal", "programmer", "technician", "architect", "builder", "contractor", "salesman", "salesperson", "realtor", "broker", "banker", "economist", "journalist", "editor",
		"translator", "tutor", "principal", "coach", "trainer", "instructor", "student", "freshman", "sophomore", "postman", "janitor", "cleaner", "hairdresser", "barber",
		"stylist", "tailor", "gardener", "florist", "vet", "veterinarian", "nanny", "babysitter", "caregiver", "carer", "homemaker", "housewife", "freelancer", "entrepreneur",
		"director", "executive", "administrator", "supervisor", "coordinator", "specialist", "marketer", "researcher", "biologist", "chemist", "physicist", "historian", "clerk",
		"dispatcher", "trucker", "welder", "machinist", "machine operator", "painter", "roofer", "miner", "sailor", "fisherman", "minister", "pastor", "priest", "rabbi", "nun",
		"intern", "resident", "physician", "midwife", "optician", "optometrist", "physiotherapist", "radiologist", "postdoc", "lecturer", "operator", "worker", "planner", "recruiter",
		"bookkeeper", "auditor", "actuary", "landlord", "landscaper", "electrical engineer", "publicist", "producer", "animator", "illustrator", "model", "dancer", "athlete", "blogger",
	}

	firstNames = set(`james robert john michael david william richard joseph thomas charles christopher daniel matthew anthony mark donald steven andrew
		paul joshua kenneth kevin brian george timothy ronald edward jason jeffrey ryan jacob gary nicholas eric jonathan stephen larry justin scott brandon
		benjamin samuel gregory alexander patrick frank raymond jack dennis jerry tyler aaron jose adam nathan henry zachary douglas peter kyle noah ethan
		jeremy walter christian keith roger terry austin sean gerald carl harold dylan arthur lawrence jordan jesse bryan billy bruce gabriel joe logan alan
		juan albert willie elijah wayne randy vincent mason roy ralph bobby russell bradley philip eugene mary patricia jennifer linda elizabeth barbara
		susan jessica sarah karen lisa nancy betty sandra margaret ashley kimberly emily donna michelle carol amanda melissa deborah stephanie rebecca sharon
		laura cynthia dorothy amy kathleen angela shirley emma brenda pamela nicole anna samantha katherine christine debra rachel carolyn janet maria olivia
		heather helen catherine diane julie victoria joyce lauren kelly christina ruth joan virginia judith evelyn hannah andrea megan cheryl jacqueline
		madison teresa abigail sophia martha sara gloria janice kathryn ann isabella judy charlotte julia grace amber alice jean denise frances danielle
		marilyn natalie beverly diana brittany theresa kayla alexis doris lori tiffany tanya max bella luna charlie lucy buddy rocky molly daisy bailey sadie
		mike tom jim bob bill dave steve dan matt chris tony johnny jimmy bobby alex sam ben nick kate katie liz beth jenny sue peggy rosie ella lily mia zoe leo
		oscar toby simba milo oliver liam lucas mohammed muhammad ahmed ali fatima priya raj wei mei carlos luis miguel jorge pedro ana carmen rosa elena ivan`)
)

func isNumber(w string) bool {
	if numberWords[w] {
		return true
	}
	for i := 0; i < len(w); i++ {
		if !digit(w[i]) && !(w[i] == '-' && i > 0) {
			head, tail, ok := strings.Cut(w, "-")
			return ok && numberWords[head] && numberWords[tail]
		}
	}
	return w != ""
}

// occupation reports whether words name a line of work: their last word is one, or ends like one.
func occupation(last string) bool {
	for _, o := range occupationEnds {
		if last == o || strings.HasSuffix(last, " "+o) {
			return true
		}
	}
	return false
}
