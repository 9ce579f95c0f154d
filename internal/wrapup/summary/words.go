package summary

import (
	"slices"
	"strings"
	"sync"
)

// words makes a set of the words in a text.
func words(text string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(text) {
		set[w] = true
	}
	return set
}

// phrases makes lists of words out of phrases that are separated by bars, longest first within a first word.
func phrases(text string) map[string][][]string {
	byFirst := map[string][][]string{}
	for _, p := range strings.Split(text, "|") {
		w := strings.Fields(p)
		if len(w) == 0 {
			continue
		}
		byFirst[w[0]] = append(byFirst[w[0]], w)
	}
	for _, list := range byFirst {
		slices.SortStableFunc(list, func(a, b []string) int { return len(b) - len(a) })
	}
	return byFirst
}

// lexicon holds the word tables of English speech. It is never written to after it was made.
type lexicon struct {
	filler        map[string]bool       // sounds and words that say nothing
	fillerPhrase  map[string][][]string // the same, of several words
	keepLikeAfter map[string]bool       // words after which "like" is a word of its own
	be            map[string]bool
	lead          map[string]bool // openers that only connect: "so", "well", "and"
	tail          map[string]bool // words that a broken-off sentence hangs on
	yes, no       map[string]bool
	negator       map[string]bool
	stop          map[string]bool // words that carry no subject
	idlePhrase    map[string][][]string
	idleWord      map[string]bool
	aux           map[string]bool
	wh            map[string]bool
	pronoun       map[string]bool
	opener        map[string][][]string // where a new sentence begins in words without punctuation
	noOpenAfter   map[string]bool
	repair        map[string][][]string
	idleDeed      map[string]bool // verbs of promises that end with the call
	vague         map[string]bool // words that make no subject of their own
	intensifier   map[string]bool
	requests      map[string][]requestCue
	agentCues     cueTable
	callerCues    cueTable
	timeWord      map[string]bool
	matters       map[string]bool // stems of what matters in a life
}

// sharedLexicon is made at the first use; all summaries read it.
var sharedLexicon = sync.OnceValue(newLexicon)

func newLexicon() *lexicon {
	return &lexicon{
		matters: matterStems(), requests: requestCues(), agentCues: agentCues(), callerCues: callerCues(), timeWord: words(`today yesterday tomorrow ago week weeks month months year years day days daily weekly once twice morning afternoon evening night tonight`),
		filler: words(`mmm aha em um uh uhm umm er erm ah oh ohh ooh eh hmm hm mm mhm huh basically literally obviously yknow uh-huh mm-hmm mm-hm`),
		fillerPhrase: phrases(`i mean|you know|you see|kind of|sort of|if you see what i mean|if you know what i mean|to be honest|
			as i said|like i said|or something like that|or something|or anything like that|or anything|and stuff like that|and stuff|
			and things like that|and everything|i guess|i suppose|at the end of the day|mm hmm|uh huh|and so on|what we call|what we'd call|what you call|what you'd call|as well as that|i would say|i'd say|
			that kind of thing|that sort of thing|anything like that|things like that|some kind of|some sort of|a bit of a|a little bit of|a little bit|little bit of|a bit of|a bit|you said|i just wanted to say|i wanted to say|i want to say|i just want to say|i'll be honest|i'll be honest with you|i can't complain|can't complain|believe it or not|mind you|
			obviously|just to let you know|in terms of|at the moment|of course|you'd say|if that makes sense|does that make sense|all right|alright|what have you|what not`),
		keepLikeAfter: words(`would i'd you'd we'd they'd i you we they he she don't didn't doesn't do does did look looks looked looking feel feels felt
			feeling sound sounds sounded seem seems something anything nothing things thing more less much not what's what to smell smells taste tastes act acts that this it who people really just stuff exactly`),
		be:   words(`is was are were be been being it's that's i'm he's she's there's am`),
		lead: words(`so well and but ok okay right alright yeah yes yep yup no nope nah then also anyway actually or because cause 'cause plus now like sorry fine great perfect sure excellent good all just please k righty-ho hi hello hey cool lovely oh wow however`),
		tail: words(`and but so because cause 'cause or the a an to of with in on at for my your our their his her is was are were it's i'm i've that if when which this from i we you like just then where while as um there's they it by about into some any very really quite what`),
		yes:  words(`yes yeah yep yup sure correct absolutely definitely exactly indeed yea certainly mm-hmm uh-huh aye`), no: words(`no nope nah never none negative`),
		negator: words(`no not never none nothing without neither nor don't doesn't didn't haven't hasn't hadn't isn't aren't wasn't weren't can't cannot won't wouldn't couldn't dont didnt havent isnt cant wont nobody`),
		stop: words(`somewhere till a an the and or but if then so as of at by for from in into on onto off out over to up down with without about after before between during through under than
			i me my mine myself we us our ours you your yours yourself he him his she her hers it its they them their theirs this that these those who whom whose which what when where why how
			am is are was were be been being have has had having do does did done doing can could will would shall should may might must ought
			not no nor never none nothing yes yeah yep ok okay just also too very really quite rather pretty much many more most less least some any all both each every few other another such same own only even still yet already ever
			here there now again once twice later soon always often sometimes usually maybe perhaps probably possibly actually basically obviously definitely certainly
			i'm i've i'll i'd you're you've you'll you'd he's she's it's we're we've we'll we'd they're they've they'll they'd that's there's what's who's where's how's let's here's
			don't doesn't didn't haven't hasn't hadn't isn't aren't wasn't weren't can't cannot won't wouldn't couldn't shouldn't
			get gets got getting gotten go goes going gone went come comes coming came make makes making made take takes taking took taken give gives giving gave given put puts putting keep keeps kept
			say says said saying tell tells told telling ask asks asked asking talk talking speak speaking mention mentioned know knows known knew think thinks thinking thought mean means meant want wants wanted wanting need needs needed like likes liked
			feel feels feeling felt seem seems seemed look looks looking looked see sees saw seen seeing try tries trying tried use uses used using let lets thing things stuff something anything everything someone anyone everyone somebody anybody nobody way ways lot lots bit kind kinds sort sorts
			time times day days week weeks month months year years today tomorrow yesterday ago one two three four five six seven eight nine ten first second last next back away around well good great fine nice bad right sure able happy sorry thank thanks please hello hi hey bye welcome
			yourself themselves himself herself else instead because cause since while until unless though although however anyway like oh um uh er gonna wanna gotta kinda cool wow super absolutely exactly perfect lovely excellent
			start started starting stop happen happened happening happens help helps helped work works worked working find found notice noticed guess suppose hope wonder worry worried bother start end ended remember forget forgot call calling called
			little big long short old new whole part couple number point sense idea fact question questions place case side within across almost enough getting along per via etc hence whether either neither towards toward upon
			doctor sir madam ma'am mr mrs miss ms hear check checking confirm confirmed particular particularly normal normally general generally especially completely sudden suddenly
			alright righty-ho k name doing able different similar certain whatever whichever wherever quickly currently recently recent hopefully nowadays otherwise further plus minus issue issues main mainly mostly
			aware understand understood explain explained describe experienced experiencing experience exact exactly appear appears correct sounds sound sounding turn turns turned run runs running bring brought show shows set sets send sends half hand kindly anymore any more altogether
			suggest suggested advise advised recommend recommended concern concerned concerns proper properly common commonly sounds easy easier hard harder better worse worst best fast slow bigger smaller higher lower`),
		idleWord: words(`cheerio righto hello hi hey bye goodbye thanks thank you cheers ok okay right alright yeah yes yep no nope sure great perfect good fine lovely cool wonderful awesome mhm mm hmm uh-huh mm-hmm uh huh oh ah um uh wow excellent brilliant
			absolutely exactly correct please sorry pardon welcome too so well and but i see got it that's it is that all alright really bye-bye sir madam ma'am there then now um very much again well k righty-ho
			understood indeed definitely of course no problem course all as yourself dear everyone interesting makes sense nice sounds`),
		idlePhrase: phrases(`how can i help|how may i help|how can i assist|how may i assist|what can i do for you|what can i help|how are you|how's it going|how is it going|how have you been|good morning|good afternoon|good evening|
			is there anything else|anything else i can|anything else you need|anything else today|anything else|do you have any questions|do you have any other questions|any questions|any other questions|have you got any questions|
			thank you for|thanks for|thank you so much|thank you very much|thank you|many thanks|have a great|have a good|have a nice|have a lovely|have a wonderful|you have a great|you have a good|you too|you as well|same to you|
			see you|take care|nice to meet|pleased to meet|can you hear me|could you hear me|i can hear you|can you see me|that was going to be it|that was gonna be it|that was it|that's it|that's all|that will be all|that'll be all|i think that'll be all|that would be all|nothing else thank|
			i can help you with|i can help with|i'd be happy to help|i would be happy to help|i'm happy to help|i'll be happy to help|happy to help|glad to help|my pleasure|you're welcome|you are welcome|no problem|no worries|not a problem|
			let me check|let me see|let me just|let me have a look|let me look|let me pull|one moment|just a moment|one second|just a second|just a sec|hold on|bear with me|give me a second|give me a moment|give me one|please hold|
			i'm sorry to hear|sorry to hear|i am sorry to hear|sorry about that|sorry i didn't|i didn't catch|say that again|come again|pardon me|excuse me|i beg your pardon|
			sounds good|sounds great|that sounds good|that sounds great|that's fine|that's great|that's good|that's ok|that's okay|that's alright|that's perfect|that's wonderful|that's lovely|that's right|that's correct|that is correct|that makes sense|makes sense|i see|i understand|got it|of course|fair enough|
			wish you all|all the best|looking forward to|talk to you|speak to you|this is doctor|i'm doctor|my name is doctor|welcome to|am i speaking|is that right|is that correct|is that ok|is that okay|is that alright|are you there|still there|
			it's nice|nice talking|lovely talking|good to hear|great to hear|glad to hear|i hope that helps|does that make sense|does that sound|how does that sound|fire away|go ahead|before we start|before we begin|
			you're very welcome|don't worry|i'm good|i'm fine|i'm ok|i'm okay|i'm well|not too bad|have a think|let's start again|let's continue|i'll let you go|hope you|i hope you|i wish you|how are things|what's up|good to see|nice to see|nice to see you`),
		aux:     words(`do does did have has had is are was were can could will would should may might shall am don't doesn't didn't haven't hasn't isn't aren't wasn't weren't can't couldn't won't wouldn't`),
		wh:      words(`what what's which who who's whose where where's whereabouts when why how how's what're`),
		pronoun: words(`i you he she it we they there this that these those your my the any his her their our anyone someone everything anything`),
		opener: phrases(`is there anything|how can i help|how may i help|my name is|what is|what's|what are|which card|which one|can you|could you|do you|did you|are you|have you|i would like|i'd like|i need|i lost|i want|
			thank you|thanks for|have a great|have a good|this is|i'm calling|i am calling|i was wondering|may i|can i|could i|i have a question|how much|how long|how many|what time|what day|hi my name|i'm going to|i'll|i will|we'll|would you|alright well`),
		noOpenAfter: words(`that if because cause what when how why where which who to the a of for with as than whatever until while or whether so not i you we they it is was are were be been this on in at from by about like my your our can could would will should did do have had has just think know hope please sure say says said see want glad thank before after since`),
		repair:      phrases(`can you repeat|could you repeat|you repeat that|repeat that|say again|say that again|sorry what|sorry could you|pardon|i didn't hear|didn't catch|could you say|can you say|one more time|any what|am i what|what was that|come again`),
		idleDeed:    words(`ask start proceed say explain try be see have go just let hear know help assist transfer connect put hold mention do look think understand like need want continue begin show tell ask summarise summarize move come feel happen guess assume repeat die love mean use take get hang talk speak recommend suggest advise agree admit wonder bear stop pull pop confirm listen read verify probably end cover`),
		vague:       words(`side area level type form name case issue problem problems information info details detail history medical conditions condition symptom symptoms situation moment past regular current weight amount effect cause chance chances concern today's worth sleeping wake waking half thirty twenty forty fifty morning night evening afternoon january february march april june july august september october november december monday tuesday wednesday thursday friday saturday sunday weekend hours hour minute minutes seconds ones hundred thousand person people guy man woman house home door room world life story medication medications normal reason reasons`),
		intensifier: words(`very really super quite so extremely pretty totally absolutely honestly definitely certainly actually just literally basically obviously simply hopefully essentially`),
	}
}
