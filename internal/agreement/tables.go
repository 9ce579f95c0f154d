package agreement

import (
	"slices"
	"strings"
)

// The words by which two sides agree, in English, German and Spanish; an underscore stands for the space in a phrase.
var (
	// accepts say yes to what the other side offered.
	accepts = table(`yes yeah yep yup yea aye sure fine perfect great good lovely grand super smashing brilliant awesome cool beauty
		excellent wonderful works suits deal absolutely definitely certainly please sweet ideal terrific okay ok alright right
		all_right do_that do_it go_on go_ahead that'll_do thatll_do book_it take_it take_that sounds_good why_not even_better
		let's_do lets_do will_do you_betcha ten_four no_problem no_worries too_easy obviously of_course
		ja jo jawohl gut genau passt prima gerne gern einverstanden perfekt klar geht machen_wir nehme_ich nehm_ich
		sí si claro vale bueno perfecto ándele andele de_acuerdo está_bien me_parece me_queda sale`)
	// refuses say no to it, or take a yes back.
	refuses = table(`no nope nah not never hold_on hang_on wait can't cant cannot couldn't won't don't doesn't isn't unless until
		nein nee nicht kein keine leider tampoco`)
	denies  = table(`no nope nah nein nee wait`) // first in a turn
	negates = table(`not nicht kein keinen keine`)
	// unable say, near a day, that it will not do.
	unable = table(`can't cant cannot couldn't couldnt won't wont unable doesn't doesnt isn't isnt bad busy closed full taken unavailable too_late
		packed no_good not_good not_free no_use not_great booked_up booked_out fully_booked
		nichts ungünstig schlecht besetzt ausgebucht geschlossen geht_nicht kann_nicht passt_nicht klappt_nicht kann_ich_nicht
		no_puedo no_voy no_abrimos no_podemos no_podré no_me imposible cerrado`)
	// own begin a clause that puts something of the caller's own on a day; free say that it leaves the day open.
	own  = table(`i i'm im i've ive i'd we we're we've my our he's she's he she my ich wir mein meine da yo tengo cuido mi`)
	free = table(`free off can could works want prefer need would like'd available around think thinking suits good love come
		frei könnte kann ginge möchte hätte libre puedo quiero`)
	// commits are how a side binds itself, or states what is settled.
	commits = table(`i'll we'll he'll she'll you'll they'll it'll that'll there'll will gonna booked scheduled confirmed reserved arranged
		you're_down youre_down you're_in youre_in you're_set you're_booked you're_all put_you got_you have_you see_you going_to
		so_that's so_thats so_that that's thats that_is that_makes that_would then_it's then_its it's_now is_on is_set is_booked
		ill_be ill_have ill_get ill_ring ill_call ill_send ill_see ill_come ill_leave ill_put ill_hold youll_have youll_get hell_come
		well_have well_be well_see its_going are_coming youre_flying you're_flying
		werde werden wird dann gebucht eingetragen reserviert bestätigt bis also
		queda quedamos entonces anotado agendado agendada reservado reservada confirmada confirmado esperamos espero llamaré llamo será`)
	// binds are how a caller states what he will do, or has to.
	binds = table(`i'll i_will we'll we_will i've_to i_have_to i_have i've i_got ive_got im_coming i'm_coming ill_be ill_come ill_call
		he'll she'll they'll hell_come ich_komme ich_werde ich_habe ich_rufe iré vendré pasaré tengo llamaré`)
	promises = table(`i'll i_will we'll we_will ill_be ill_come ill_call ill_bring he'll she'll they'll hell_come
		ich_komme ich_werde ich_rufe iré vendré pasaré llamaré`)
	// modals make an offer of what would else be settled.
	modals = table(`can could would might may shall should how_about what_about if maybe perhaps possibly unless once
		you'd_like you_want like_to to_move to_change to_cancel
		könnte könnten kann können hätte hätten würde ginge vielleicht falls wenn
		podría podríamos puede podemos quizá quizás qué_tal le_parece`)
	ifs = table(`if unless might maybe perhaps possibly falls wenn vielleicht quizá quizás si_me`)
	// confirms take up what the other side named.
	confirms = table(`booked done noted confirmed scheduled reserved all_set you're_set youre_set you're_in you're_down youre_down
		put_you put_that put_it got_you it_is you_got_it changed_it i've_got_it ive_got_it got_it see_you works then_you're in_my_book
		gebucht eingetragen notiert vermerkt aufgeschrieben das_passt alles_klar
		anotado apuntado agendado agendada reservado queda quedó listo lo_anoto los_esperamos la_esperamos lo_esperamos`)
	// moves say that a time takes the place of another.
	moves = table(`instead reschedule rescheduled rescheduling postpone postponed postponing move_it move_that move_the move_my move_to
		move_him move_her move_you move_this moved_it moved_to moved_you moved_that moved_the is_moved been_moved to_move to_change
		change_it change_that change_the change_my change_this changed_it changed_to changed_the changed_you push_it push_the push_that
		push_my pushed_it pushed_to pushed_back pushed_the pushed_you switch_it switch_to switch_the switched_it switched_to swap_it
		bump_it bumped_it bring_it brought_it put_it put_back put_off shift_it shift_the anything_earlier anything_later
		something_earlier something_later verschieben verschoben verlegen verlegt umbuchen umgebucht stattdessen statt vorziehen
		cambiar cambiarla cambiarlo cambiada cambiado cambiamos mover moverla movemos reagendar aplazar posponer en_lugar en_vez`)
	// cancels ask to call something off, off say that it was done, and gone say it of a time that is named.
	cancels = table(`cancel scrap call_off call_it_off calling_off is_off it's_off its_off take_me_off not_coming
		absagen stornieren absage streichen cancelar cancelarla cancelarlo cancele cancela anular anularla`)
	off = table(`cancelled canceled cancelling canceling released scrapped called_off taken_off gestrichen abgesagt storniert entfällt
		cancelada cancelado cancelo cancelé anulada anulado liberado liberada`)
	gone = table(`off gone released cancelled canceled freed scrapped dropped gestrichen abgesagt storniert entfällt cancelada cancelado
		anulada`)
	// loose stand before a time that they do not pin down.
	loose = table(`after since from starting until till til through nach seit desde hasta`)
	// told are outcomes, of what was to be at a time; arrived those of what was to come.
	told = table(`came come went saw showed turned arrived got received fixed fitted finished happened rang called picked collected
		sorted paid sent kam kamen gekommen geklappt vino vinieron fui llegó pasó`)
	never   = table(`not never nobody didn't didnt wasn't wasnt hasn't haven't nothing nowt nicht nie niemand kein nunca nadie`)
	arrived = table(`came come arrived got received here kam gekommen angekommen llegó`)
	// tags ask whether what was just said is right.
	tags = table(`right correct okay ok alright all_right good that that_one it one you_in you_down
		stimmt richtig recht das verdad correcto`)
	// recounts repeat what the caller wanted; they settle nothing. things are subjects whose being off is no time's.
	recounts = table(`you_said you_need you_needed you_wanted you_mentioned you_told sie_sagten sie_wollten usted_dijo`)
	things   = table(`it it's it'll that that's that'll they i i'm he's she's we're you you're everyone`)
	// either stands between things to choose from, corrects before what is right.
	// common words say nothing of what an act is about.
	common = table(`that thi with from have your they them then than there here what when will would could should about been just very
		really also like into over only some more much know think right sorry thank going want need time week next monday tuesday
		wednesday thursday friday saturday sunday today tomorrow yesterday morning afternoon evening night noon half past quarter till
		january february march april june july august september october november december 2025 2026 2027 2028
		come book move moved instead please great good
		montag dienstag mittwoch donnerstag freitag samstag sonntag dann noch nicht haben werden uhr morgen
		lune marte miércole jueve vierne sábado domingo para como esta este mañana tarde`)
	either   = table(`or oder o`)
	corrects = table(`not instead i_said i_meant i_mean make_it rather actually sorry nicht sondern lieber doch perdón mejor`)
	wrong    = table(`wrong incorrect falsch equivocado equivocada`)
	// concludes stand alone before a time that is read back, deadline before one until which something is done.
	concludes = table(`then so dann also entonces`)
	deadlines = table(`by within bis innerhalb antes_del antes_de`)
	today     = table(`it's its is es ist`) // before a day that it is
	// yours and stands make a statement of what is to be: "your next lesson is Monday".
	yours  = table(`your his her their our ihr ihre su sus`)
	stands = table(`is are stays remains ist sind bleibt es queda sigue`)
	pauses = table(`hang_on hold_on let_me one_moment moment momento espere warte warten`)
	hours  = table(`open geöffnet offen abierto abiertos abierta abrimos`)
	firsts = table(`first_one first the_earlier erste ersten primera primero`)
	lasts  = table(`last_one last latter later_one the_later second_one letzte letzten zweite zweiten spätere última último segunda segundo`)
)

// phrases are words, and phrases of two or three.
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

// at returns how many words of the list from i on are one of the phrases, the most there are; 0: none is.
func (p phrases) at(words []string, i int) int {
	for n := min(longest, len(words)-i); n > 0; n-- {
		if p[strings.Join(words[i:i+n], " ")] {
			return n
		}
	}
	return 0
}

// find returns where the first of the phrases is among words; -1: nowhere.
func (p phrases) find(words []string) int {
	for i := range words {
		if p.at(words, i) > 0 {
			return i
		}
	}
	return -1
}

func (p phrases) in(words []string) bool { return p.find(words) >= 0 }

// first are up to n words from the beginning, last up to n from the end.
func first(words []string, n int) []string { return words[:min(n, len(words))] }
func last(words []string, n int) []string  { return words[max(0, len(words)-n):] }

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
