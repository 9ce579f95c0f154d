package agreement

import (
	"slices"
	"strings"

	"github.com/recallerhq/recaller/internal/speech"
)

// The words by which two sides agree, in English, German and Spanish. An underscore stands for a space in a phrase.
var (
	// accepts say yes to what the other side offered.
	accepts = table(`yes yeah yep yup yea aye sure fine perfect great good lovely grand super smashing brilliant awesome cool beauty
		excellent wonderful works suits deal absolutely definitely certainly please sweet ideal terrific okay ok alright right
		all_right do_that do_it go_on go_ahead that'll_do thatll_do book_it take_it take_that sounds_good why_not even_better
		let's_do lets_do will_do you_betcha ten_four no_problem no_worries too_easy obviously of_course
		ja jo jawohl gut genau passt prima gerne gern einverstanden perfekt klar geht machen_wir nehme_ich nehm_ich
		sim claro pode_ser está_bem fica_assim combinado
		sí si vale bueno perfecto ándele andele de_acuerdo está_bien me_parece me_queda viene_bien va_bien me_conviene sale`)
	// refuses say no to it, or take a yes back.
	refuses = table(`no nope nah not never hold_on hang_on wait can't cant cannot couldn't won't don't doesn't isn't unless until
		nein nee nicht kein keine leider tampoco`)
	denies = table(`no nope nah nein nee wait`) // first in a turn
	// failures say that something did not happen.
	failures = table(`didn't didnt wasn't wasnt weren't werent hasn't hasnt hadn't hadnt`)
	negates  = table(`not nicht kein keinen keine`)
	// defers put the answer off. keeps leave what stands.
	defers = table(`frag_erst frage_erst meld_mich run_it_by square_it square_that i'll_take_my put_it_to spoken_to i'm_not_saying maybe_not don't_put
		don't_book dont_book let_me_check let_me_talk let_me_ask let_me_think let_me_speak let_me_look think_about think_it i'll_think ill_think
		have_to_ask need_to_ask have_to_check need_to_check i'll_check i'll_ask ill_ask get_back_to come_back_to let_you_know
		ring_you_back call_you_back not_sure it_depends depends_on sleep_on talk_to_my ask_my check_with check_my
		überlegen überleg muss_ich_erst abklären besprechen melde_mich sage_bescheid sag_bescheid weiß_nicht
		lo_pienso pensarlo pensármelo consultarlo consultar preguntar le_aviso te_aviso les_aviso no_sé`)
	keeps = table(`leave_it_as leave_it_then keep_it keep_that keep_my keep_the as_it_is as_planned still_on still_coming still_good
		wie_geplant bleibt_dabei bleiben_dabei bleibt_es lassen_wir_so así_queda como_quedamos sigue_en_pie`)
	// buts reverse an answer. undone take the yes from the word after them, greets from the one before them. stray
	// words say yes only at the beginning or the end, or after one that leans on them.
	buts   = table(`but though except aber nur pero`)
	undone = speech.Set(`was were wasn't weren't isn't not never too i'm im you're youre he's she's they're make the a my your so as war
		waren nicht kein no era`)
	greets = speech.Set(`morning afternoon evening night luck grief god lord heavens now away side hand one ones`)
	stray  = speech.Set(`right good fine lovely great perfect sure works suits grand nice bueno gut klar geht passt genau bien cool super
		sweet brilliant excellent alright`)
	leans = speech.Set(`that's thats it's its is are be all that sounds me sound oh well yeah yes okay ok then ist das sí ja está
		would which really just day`)
	// takings are words for having a time; fillers say nothing beside one.
	takings = table(`i'll_take ill_take take_the take_that go_for go_with let's_say lets_say put_me book_me i'd_prefer prefer rather better
		make_it suits best say_the we'll_take well_take nehme nehmen lieber besser am_besten mejor prefiero me_quedo`)
	links   = speech.Set(`and but so then if aber und dann wenn pero y si`) // behind a day that is taken
	fillers = speech.Set(`also the on at that this then so well please for of and with thanks thank you is it's it let's say go by in yes yeah
		okay ok der die das am um dann den bitte el la las los a de por en pues y o'clock uhr morning afternoon evening past half
		quarter mañana tarde früh vormittag nachmittag`)
	// holds keep a time free without settling it. waits are said of the line.
	holds = table(`hold holding held pencil pencilled penciled pencilling provisionally provisional_booking provisional_slot provisional_date provisional_place tentative tentatively
		keep_it_free keep_that_free standby waiting_list not_confirmed unconfirmed
		halte halten freihalten vormerken vorgemerkt vorläufig unverbindlich unter_vorbehalt provisorisch warteliste
		provisionalmente cita_provisional reserva_provisional pendiente_de lista_de_espera guardo guardar guardado guardárselo guárdelo`)
	// unbooked are the caller's words for that: what was stated as settled is then only held.
	unbooked = table(`don't_book dont_book not_book don't_fix dont_fix don't_confirm pencil_me pencil_us pencil_that pencil_it
		noch_nicht_fest fest_noch_nicht nur_vormerken no_me_apunte no_lo_apunte`)
	waits = table(`hold_on hold_the_line hold_please holding_on held_up hold_for hold_music`)
	until = table(`until till til bis hasta by`)
	// keeping say behind an hour that one is not free then; carefree are none of them. thereabouts are words for the day that
	// was just named.
	keeping     = table(`i'm_still im_still we're_still i'm_not im_not i_am_not bin_ich_noch bin_ich_nicht kann_ich_nicht geht_nicht no todavía aún`)
	carefree    = table(`no_problem no_worries no_hay no_pasa no_less no_later no_bother`)
	thereabouts = table(`that_week that_day that_weekend that_morning that_afternoon that_evening in_der_woche an_dem_tag an_dem_wochenende esa_semana ese_día`)
	// earlier stand before an hour by which something is to be done, and not at which.
	earlier = table(`before vor antes_de`)
	// slots stand between a day and the words that it is free again.
	slots = speech.Set(`slot slots appointment one visit time at is s now has been booking ist der die das termin um uhr wurde wird la cita
		está queda fica o'clock then of lesson delivery in the morning afternoon that that's one's it's this`)
	// objects follow a no that is said to the other side.
	objects = speech.Set(`no nope nein wait that that's thats it it's its not i i'm im i'll ill i've i'd sorry hang hold make the this we we're you
		you're thanks thank actually can't cant he she they love mate sir ma'am half quarter halb viertel rather a das der die ich wir nicht moment warten lieber
		doch um am el la a las espere perdón mejor`)
	greetings = table(`how_are how_is how's wie_geht cómo_está cómo_estás`)
	bygone    = table(`was were wasn't weren't had war waren hatte fue era estaba`)
	// dayparts are words for an hour that is still to be chosen.
	dayparts = table(`what_time when morning afternoon evening early late earlier later o'clock hour the_time uhr früh vormittag nachmittag wann
		welche_zeit qué_hora hora mañana tarde`)
	recaps = table(`so also entonces`)                        // before what is summed up
	adds   = table(`and also plus oh und außerdem y también`) // begin what is said besides
	kept   = table(`it that one slot place spot time until till til sie ihnen bis hasta lo la`)
	// unable say, near a day, that it will not do.
	unable = table(`can't cant cannot couldn't couldnt won't wont unable doesn't doesnt isn't isnt bad busy closed shut full taken unavailable too_late
		packed no_good not_happening not_good not_free no_use no_use_to out_of not_great booked_up booked_out fully_booked
		niemand nichts ungünstig schlecht voll vergeben besetzt ausgebucht geschlossen geht_nicht kann_nicht passt_nicht klappt_nicht kann_ich_nicht
		não_posso já_não no_puedo no_voy no_abrimos no_podemos no_podré no_me imposible cerrado`)
	// own begin a clause that puts something of the caller's own on a day. free say that it leaves the day open.
	own  = table(`hago estoy trabajo viajo voy llevo muss bin i i'm im i've ive i'd we we're we've my our he's she's he she my ich wir mein meine da yo tengo cuido mi`)
	free = table(`free off can could works want prefer need would like'd available around think thinking suits good love come
		frei könnte kann ginge möchte hätte libre puedo quiero`)
	// commits are how a side binds itself, or states what is settled.
	commits = table(`i'll we'll he'll she'll you'll they'll it'll that'll there'll will gonna booked scheduled confirmed reserved arranged
		you're_down youre_down you're_in youre_in you're_set you're_booked you're_all put_you got_you have_you see_you going_to
		so_that's so_thats so_that that's thats that_is that_makes that_would then_it's then_its it's_now is_on is_set is_booked
		ill_note ill_be ill_have ill_get ill_ring ill_call ill_send ill_see ill_come ill_leave ill_put ill_hold youll_have youll_get hell_come
		well_have well_be well_see its_going are_coming youre_flying you're_flying
		werde werden wird kommt dann gebucht eingetragen reserviert bestätigt bis also
		queda quedamos entonces anotado agendado agendada reservado reservada confirmada confirmado fica_inscrito fica_marcado esperamos espero llamaré llamo será`)
	// binds are how a caller states what he will or must do.
	binds = table(`i'll i_will we'll we_will i've_to i_have_to i_have i've i_got ive_got im_coming i'm_coming ill_be ill_come ill_call
		he'll she'll they'll hell_come ich_komme ich_werde ich_habe ich_rufe iré vendré pasaré tengo llamaré`)
	promises = table(`i'll i_will we'll we_will ill_be ill_come ill_call ill_bring he'll she'll they'll hell_come
		ich_komme ich_werde ich_rufe iré vendré pasaré llamaré`)
	// modals make an offer of what would otherwise be settled.
	modals = table(`you'd_have you'd_get can could would might may shall should how_about what_about if maybe perhaps possibly unless once
		you'd_like you_want like_to to_move to_change to_cancel
		könnte könnten kann können hätte hätten würde ginge vielleicht falls wenn
		wäre wären könnt podría podríamos sería puede puedo podemos quizá quizás qué_tal le_parece`)
	ifs = table(`if unless might maybe perhaps possibly falls wenn vielleicht quizá quizás si_me`)
	// polite are conditions on which nothing depends.
	polite = table(`if_you_could if_you_can if_you_would if_that's if_thats if_it's_all if_that_suits if_that_works if_you_like if_you'd
		if_you_want if_you_please if_possible if_i_may if_i_can if_i_could if_anything if_only wenn_es_geht wenn_das_geht wenn_sie_möchten
		wenn_ihnen wenn_möglich si_puede si_quiere si_le si_es_posible si_no_le`)
	// confirms take up what the other side named.
	confirms = table(`booked done noted confirmed scheduled reserved all_set you're_set youre_set you're_in you're_down youre_down
		put_you put_that put_it got_you it_is you_got_it changed_it i've_got_it ive_got_it got_it see_you works then_you're in_my_book
		gebucht eingetragen notiert vermerkt aufgeschrieben das_passt alles_klar
		fica_inscrito fica_marcado marcado inscrito
		anotado apuntado agendado agendada reservado queda quedó listo lo_anoto los_esperamos la_esperamos lo_esperamos`)
	// books are the confirmations that can only be of a time. avails say that a time can be had.
	books = table(`booked confirmed scheduled reserved all_set you're_set youre_set you're_in you're_down youre_down put_you see_you
		gebucht eingetragen agendado agendada reservado los_esperamos la_esperamos lo_esperamos`)
	avails = table(`free available open have has i've_got ive_got we've_got there's there_is frei verfügbar hätte hätten haben
		libre disponible tenemos tengo hay`)
	vacant = table(`is_open are_open is_free are_free is_available are_available ist_frei sind_frei está_libre`)
	// moves say that a time replaces another.
	moves = table(`instead reschedule rescheduled rescheduling postpone postponed postponing move_it move_that move_the move_my move_to
		move_him move_her move_you move_this moved_it moved_to moved_you moved_that moved_the is_moved been_moved to_move to_change
		change_it change_that change_the change_my change_this changed_it changed_to changed_the changed_you push_it push_the push_that
		push_my pushed_it pushed_to pushed_back pushed_the pushed_you switch_it switch_to switch_the switched_it switched_to swap_it
		bump_it bumped_it bring_it brought_it put_it put_back put_off shift_it shift_the anything_earlier anything_later
		something_earlier something_later verschieben verschoben verlegen verlegt umbuchen umgebucht stattdessen statt vorziehen
		cambiar cambiarla cambiarlo cambiada cambiado cambiamos mover moverla movemos reagendar aplazar posponer en_lugar en_vez`)
	// cancels ask to cancel something, off say that it was done, drops give it up, and gone say it of a time that is
	// named.
	cancels = table(`cancel scrap call_off call_it_off calling_off take_me_off take_us_off take_him_off take_her_off
		cross_it_off cross_me_off cross_us_off cross_off
		absagen stornieren absage storniere streichen streiche abbestellen abbestelle austragen
		cancelar cancelarla cancelarlo cancele cancela cancelo anular anularla anule anulo desmarcar desmarque annuler annullare`)
	off = table(`cancelled canceled cancelling canceling released scrapped called_off taken_you_off taken_him_off taken_her_off crossed_off
		crossed_it_off taking_you_off struck_off gestrichen abgesagt storniert entfällt
		cancelada cancelado cancelo cancelé anulada anulado liberado liberada desmarcado desmarcada`)
	takes = table(`taken took taking crossed crossing struck`) // … off
	drops = table(`is_off it's_off its_off i'm_out im_out we're_out were_out count_me_out count_us_out scrap_that scrap_the forget_it drop_it
		won't_be_needing wont_be_needing no_longer_need not_going_ahead not_going_through pull_out pulling_out not_coming won't_be_coming
		wont_be_coming not_gonna_make won't_make_it wont_make_it can't_make_it cant_make_it cannot_make_it let_it_go
		not_be_there won't_be_there wont_be_there
		brauchen_wir_nicht brauche_ich_nicht hat_sich_erledigt sich_erledigt fällt_aus fällt_flach wird_nichts bin_raus sind_raus
		lassen_wir_das lassen_wir_es klappt_nicht_mehr
		lo_dejamos lo_dejo déjelo déjalo ya_no_hace ya_no_necesito ya_no_quiero ya_no_vamos ya_no_voy ya_no_puedo`)
	// wouldHave are said of what others may do, or of what was considered. contracts are things that are no times.
	wouldHave = table(`may might thought thinking someone somebody policy fee they you_guys did_you who why never he_might she_might`)
	contracts = table(`membership subscription policy contract plan insurance account card debit standing vertrag abo abonnement
		mitgliedschaft versicherung karte contrato suscripción seguro tarjeta cuenta phone line back`)
	offers   = table(`move rebook reschedule verschieben cambiar`)
	backsOut = table(`forget_it scrap_that scrap_it cancel_that never_mind changed_my_mind lassen_wir_das lo_dejamos déjelo`)
	gone     = table(`off gone taken_out taken_off crossed_off given_up raus released cancelled canceled freed scrapped dropped sem_efeito fica_sem_efeito
		gestrichen abgesagt storniert entfällt cancelada cancelado
		anulada`)
	// loose stand before a time that they do not pin down.
	loose = table(`up_to after since from starting until till til through nach seit desde hasta`)
	// told are outcomes of what was to be at a time, arrived of what was to come.
	told = table(`came come went saw showed turned arrived got received fixed fitted finished happened rang called picked collected
		sorted paid sent kam kamen gekommen geklappt vino vinieron fui llegó pasó`)
	never   = table(`not never nobody didn't didnt wasn't wasnt hasn't haven't nothing nowt nicht nie niemand kein nunca nadie`)
	arrived = table(`came arrived got received here sent paid posted dropped_off kam gekommen angekommen geschickt bezahlt llegó mandé pagué`)
	// tags ask whether what was just said is right.
	tags = table(`right correct okay ok alright all_right good that that_one it one you_in you_down
		stimmt richtig recht das verdad correcto`)
	// recounts repeat what the caller wanted, and settle nothing. things are subjects: that they are off says nothing
	// of a time.
	recounts = table(`you_said you_need you_needed you_wanted you_mentioned you_told sie_sagten sie_wollten usted_dijo`)
	// either stands between alternatives, corrects before what is right. common words say nothing of what an act is
	// about.
	common = table(`that thi with from have your they them then than there here what when will would could should about been just very
		really also like into over only some more much know think right sorry thank going want need time week next monday tuesday
		wednesday thursday friday saturday sunday today tomorrow yesterday morning afternoon evening night noon half past quarter till
		january february march april june july august september october november december 2025 2026 2027 2028
		come book move moved instead please great good
		montag dienstag mittwoch donnerstag freitag samstag sonntag dann noch nicht haben werden uhr morgen
		lune marte miércole jueve vierne sábado domingo para como esta este mañana tarde`)
	either   = table(`or oder o`)
	corrects = table(`not instead i_said i_meant i_mean make_it rather actually sorry nicht sondern lieber doch perdón mejor`)
	unsuited = table(`too_late too_early too_soon too_far too_long zu_knapp zu_spät zu_früh zu_lang muy_tarde muy_pronto demasiado`)
	wrong    = table(`wrong incorrect falsch equivocado equivocada`)
	// concludes stand alone before a time that is read back, deadline before one until which something is done.
	concludes = table(`then so dann also entonces`)
	deadlines = table(`by within bis innerhalb antes_del antes_de`)
	proposes  = table(`we_say i_say how_about what_about wie_wäre_es wie_wär's qué_tal`)                            // before the hour that one asks for
	agrees    = table(`that's_right thats_right that_is_right that's_correct thats_correct that's_true thats_true`) // and settles nothing
	today     = table(`it's its is es ist`)                                                                         // before a day that it is
	// yours and stands state what is to be: "your next lesson is Monday".
	yours  = table(`your his her their our ihr ihre su sus`)
	stands = table(`is are stays remains ist sind bleibt es queda sigue`)
	pauses = table(`hang_on hold_on let_me one_moment moment momento espere warte warten`)
	hours  = table(`open geöffnet offen abierto abiertos abierta abrimos`)
	firsts = table(`first_one first the_earlier erste ersten primera primero`)
	lasts  = table(`last_one last latter later_one the_later second_one letzte letzten zweite zweiten spätere última último segunda segundo`)
)

// phrases holds words, and phrases of two or three words.
type phrases map[string]bool

func table(words string) phrases {
	p := phrases{}
	for w := range strings.FieldsSeq(words) {
		p[strings.ReplaceAll(w, "_", " ")] = true
	}
	return p
}

// longest is how many words the longest phrase has.
const longest = 3

// at returns how many words from i on make the longest of the phrases there; 0: none.
func (p phrases) at(words []string, i int) int {
	for n := min(longest, len(words)-i); n > 0; n-- {
		if p[strings.Join(words[i:i+n], " ")] {
			return n
		}
	}
	return 0
}

// find returns where the first of the phrases stands among words; -1: nowhere.
func (p phrases) find(words []string) int {
	for i := range words {
		if p.at(words, i) > 0 {
			return i
		}
	}
	return -1
}

func (p phrases) in(words []string) bool { return p.find(words) >= 0 }

// first returns at most n words from the beginning, last at most n from the end.
func first[T any](words []T, n int) []T   { return words[:min(n, len(words))] }
func last(words []string, n int) []string { return words[max(0, len(words)-n):] }

// shared counts the words that both have.
func shared(a, b []string) int {
	n := 0
	for _, w := range a {
		if slices.Contains(b, w) {
			n++
		}
	}
	return n
}
