package agreement_test

import "testing"

// What people of other trades say, by what each is an example of. The day of a table is a Wednesday, 14 October 2026.
func TestWhatStandsAmongStrangers(t *testing.T) {
	for _, d := range strangers {
		t.Run(d.name, func(t *testing.T) {
			if got := told(t, d.calls...); got != d.want {
				t.Errorf("got %q, want %q", got, d.want)
			}
		})
	}
}

var strangers = []struct {
	name  string
	calls []call
	want  string
}{
	// An hour that is refused is not the one that is granted.
	{"can't do ten, nine is grand", one(`
		A: Crumb and Co, hello?
		C: I ordered a cake for Saturday. Could we move it to the Saturday after?
		A: Saturday the twenty-fourth at ten?
		C: can't do ten, his swimming's at ten. nine?
		A: We open at half eight so nine is grand.
		C: lovely, and no nuts anywhere near it, his cousin swells up like a balloon
		A: No nuts. Done.`), "Sat 24 Oct 09:00"},
	{"can't do three, and no other hour", one(`
		A: I could come on Friday at three.
		C: I can't do three. I pick up the children at three.
		A: That is a pity.
		C: Good, I'll ring again.`), ""},
	{"um zehn kann ich nicht", one(`
		A: Dann Freitag um zehn?
		C: Um zehn kann ich nicht. Ginge elf?
		A: Da habe ich schon wen.
		C: Prima, dann rufe ich wieder an.`), ""},
	{"four's no good", one(`
		A: I have Tuesday at four.
		C: Four's no good. Anything later?
		A: Six, but only with my colleague.
		C: Good to know. I'll ring back.`), ""},
	{"four won't work, half five", one(`
		A: I have Tuesday at four.
		C: Four won't work, I'm at the gym till five. Half five?
		A: Half five it is.`), "Tue 20 Oct 17:30"},
	{"a las cinco no salgo", one(`
		A: Tráigala esta tarde a las cinco.
		C: a las cinco no salgo del trabajo todavía, ¿a las siete?
		A: A las siete cerramos.
		C: gracias, hasta luego`), ""},
	{"a las cinco no salgo, de un día que se nombró", one(`
		A: ¿Ha tomado el antiinflamatorio?
		C: ayer sí, hoy lo ha vomitado
		A: Tráigala esta tarde a las cinco.
		C: a las cinco no salgo del trabajo todavía, ¿a las siete?
		A: A las siete cerramos. A las seis y media la espera la doctora.
		C: venga, a las seis y media, corro. ¿y qué le doy mientras?
		A: Agua y nada más.`), ""},
	{"at five I'm still at work", one(`
		A: I could see her on Friday at five.
		C: At five I'm still at work.
		A: That's the last one.
		C: Good, thanks.`), ""},
	{"at five, no problem", one(`
		A: I could see her on Friday at five.
		C: At five, no problem.`), "Fri 16 Oct 17:00"},
	{"in Wales that week", one(`
		C: You said three weeks, that's the fifth?
		A: Thursday the fifth of November at half two, same slot.
		C: mm I'm in Wales that week. the week after then
		A: Thursday the twelfth, two fifteen.
		C: yeah put me down for that
		A: Done, Thursday the twelfth of November at quarter past two.`), "Thu 12 Nov 14:15"},
	// The hour before which something is to be is no appointment.
	{"bring it before six", one(`
		C: can I drop the bike tomorrow so you do it right away
		A: Bring it tomorrow before six, and you'll have it back Saturday.
		C: Saturday's fine.`), "Thu 15 Oct, Sat 17 Oct"},
	// A yes stands, whatever else is put right behind it.
	{"right, and it's the third floor", one(`
		A: Would Monday the nineteenth work?
		C: nineteenth, hmm, what's that, Monday. after eleven because the lift key's with the caretaker till then
		A: Monday the nineteenth at half past eleven then.
		C: right. and it's the third floor not the second, I told the girl second
		A: Third floor, noted. That's forty more.`), "Mon 19 Oct 11:30"},
	// A question, an echo, or a complaint takes nothing.
	{"what would it cost", one(`
		A: The twenty-ninth is full. I have the thirtieth at eight.
		C: What would the thirtieth cost?
		A: Six hundred for three hours.`), ""},
	{"is that the same price", one(`
		A: I could do Friday at ten.
		C: Is it the same on a Friday?
		A: There is no surcharge.
		C: Hm. I'll ring back.`), ""},
	{"an echo that wonders", one(`
		A: I could come on the twenty-second.
		C: The twenty-second?
		A: That is the first I have.
		C: Then I'll try somewhere else.`), ""},
	{"erst morgen", one(`
		A: Ich kann Ihnen morgen zwischen acht und zehn jemanden schicken.
		C: Morgen erst? Das ist ein Witz.
		A: Tut mir leid.`), ""},
	{"erst morgen, dann doch heute", one(`
		A: Ich schicke morgen zwischen acht und zehn einen Techniker.
		C: Morgen erst? Geht es nicht heute?
		A: Heute ab siebzehn Uhr wäre möglich, aber mit Zuschlag.
		C: Den zahle ich nicht.
		A: Gut, den übernehmen wir. Heute ab siebzehn Uhr.
		C: Na also.`), "Wed 14 Oct 17:00"},
	{"was kostet der Samstag", one(`
		A: Freitag oder Samstag um zehn wäre noch frei.
		C: Was kostet denn der Samstag?
		A: Neunzig Euro.
		C: Puh. Danke, das lasse ich mir durch den Kopf gehen.`), ""},
	{"cuánto cuesta el sábado", one(`
		A: Le puedo ofrecer el sábado a las once.
		C: ¿Y el sábado cuánto cuesta?
		A: Noventa euros.
		C: Uy, no, muy caro.`), ""},
	{"a number in a question", one(`
		A: It's 412 a length. We can deliver on Friday between ten and one.
		C: 412? Last month it was 389.
		A: I can do 400.`), ""},
	{"half a number, and a reason", one(`
		A: He could be with you at one o'clock today, or half past seven tomorrow.
		C: Half seven I'm still milking, mate. One o'clock, sweet as.
		A: Done.`), "Wed 14 Oct 13:00"},
	{"what else is at that hour", one(`
		A: Puedo cambiarlas esta tarde a las cinco.
		C: A las cinco estoy en el dentista.
		A: Vaya.`), ""},
	{"it is only cheap", one(`
		A: The hall has Friday the sixteenth at half past nine, or Tuesday the twentieth at a quarter to three.
		C: Half nine's the cheap slot, isn't it. What's the other one cost?
		A: Ninety pounds.`), ""},
	{"like hell", one(`
		A: The part comes on Thursday and you'd have the bike Friday at ten.
		C: Friday like hell. I've got the school run.
		A: We could lend you a bike.`), ""},
	{"you are right is no yes", one(`
		A: The new part is due on Friday the twenty-third.
		C: So my brother was right!
		A: It seems he was.`), ""},
	{"good grief is no yes", one(`
		A: The earliest I have is Friday the twenty-third.
		C: Good grief. And before that?
		A: Nothing, I'm afraid.`), ""},
	{"I'm fine is no yes", one(`
		A: I could put you on the list for Friday.
		C: I'm fine, thanks. I only wanted the price.
		A: All right.`), ""},
	{"not sure is no yes", one(`
		A: Would Monday at nine do?
		C: I'm not sure. My husband has the car.
		A: Ring us when you know.`), ""},
	{"great is no yes where the rest says no", one(`
		A: I can do Thursday the twenty-second at three.
		C: Great, but I'm at work then.
		A: Sorry.`), ""},
	{"how are you this evening", one(`
		A: Hello, how are you this evening?
		C: Fine.
		A: Good.`), ""},
	{"the first day is not the first of the offers", one(`
		A: I have Monday at nine.
		C: First I need to know what it costs.
		A: Forty pounds.`), ""},
	{"free until a day is a rule", one(`
		A: You can cancel for free up to Friday the sixteenth.
		C: Great.
		A: Anything else?`), ""},
	{"what a day is", one(`
		A: Tomorrow is a half day, buses leave at noon.
		C: Oh, okay. My mother will fetch him.
		A: Good.`), ""},
	{"how are opening hours", one(`
		A: We open at nine on Saturdays and we're shut on Monday.
		C: Okay, thanks.`), ""},
	{"told of a day that was let", one(`
		C: There's a poster for a fair this coming Sunday.
		A: Your booking wasn't renewed, so Sunday the eighteenth was let.
		C: That's a disgrace.`), ""},
	{"free is an offer", one(`
		C: We marry on the twenty-fourth. Have you anybody?
		A: Rosa does half days. She's free from nine on the twenty-fourth.
		C: I have to run it by my fiancée. Don't put us down yet.
		A: Understood.`), ""},

	// Who puts it off has not taken it.
	{"let me ask first", one(`
		A: I could do Friday at ten.
		C: Friday sounds good. Let me check with my wife first.
		A: Of course.`), ""},
	{"I'll let you know", one(`
		A: There is a place on Monday the nineteenth at four.
		C: Monday at four, hm. I'll let you know.
		A: No problem.`), ""},
	{"ich frag erst", one(`
		A: Am Dienstag um acht hätte ich etwas.
		C: Dienstag acht ist eigentlich okay, aber ich muss erst meine Mutter fragen. Ich melde mich.
		A: Gut.`), ""},
	{"lo pienso", one(`
		A: Tengo el viernes a las diez.
		C: El viernes, bueno, lo pienso y le llamo.
		A: Muy bien.`), ""},
	{"put off, and taken later in the call", one(`
		A: I could do Friday at ten.
		C: Let me ask my wife. Jean? Friday at ten?
		A: Take your time.
		C: She says yes. Friday at ten.
		A: See you then.`), "Fri 16 Oct 10:00"},

	// A condition agrees to nothing.
	{"if the part comes", one(`
		A: I could fit it on Friday, if the part comes.
		C: Fine.
		A: I'll ring you.`), ""},
	{"provided it does not rain", one(`
		A: If it doesn't rain we can pour the slab on Monday.
		C: Okay.`), ""},
	{"falls jemand absagt", one(`
		A: Falls jemand absagt, könnten wir am Freitag kommen.
		C: Gut.`), ""},
	{"si hay hueco", one(`
		A: Si hay un hueco, quizás el viernes.
		C: Vale.`), ""},
	{"a polite if is none", one(`
		C: My husband will pick it up on Tuesday the twentieth after four, if that's alright.
		A: The twentieth after four is fine.`), "Tue 20 Oct 16:00"},

	// Called off.
	{"absagen und streichen", []call{{0, `
		A: Mittwoch, der einundzwanzigste, um elf Uhr?
		C: Ja, elf Uhr passt.`}, {2, `
		C: Ich muss den Mittwoch leider absagen.
		A: Schade. Dann streiche ich den Termin am einundzwanzigsten.
		C: Ja bitte.`}}, ""},
	{"streichen Sie das", []call{{0, `
		A: Dann Montag um neun Uhr.
		C: Gut.`}, {1, `
		C: Der Termin am Montag, streichen Sie das. Ich ziehe um.
		A: Ist gestrichen.`}}, ""},
	{"no good any more, and no other day", []call{{0, `
		A: The crew could start on the twenty-sixth.
		C: The twenty-sixth works.`}, {2, `
		A: Keystone Roofing.
		C: The twenty-sixth's no good, my wife's ill. I'll ring when she's better.
		A: Get well soon to her.`}}, ""},
	{"can't do it any more", []call{{0, `
		A: So that's Monday at nine.
		C: Perfect.`}, {1, `
		A: How can I help?
		C: I can't do Monday any more, sorry.
		A: That's a pity.`}}, ""},
	{"scrap it", []call{{0, `
		A: Tuesday the twentieth at eight, then.
		C: Good.`}, {2, `
		C: That test on Tuesday. Scrap it.
		A: I've taken Tuesday the twentieth off.`}}, ""},
	{"I'm out", []call{{0, `
		A: You're in for Saturday at two.
		C: Great.`}, {1, `
		C: About Saturday. I'm out.
		A: No problem, I've crossed you off.`}}, ""},
	{"we won't be needing it", []call{{0, `
		A: The skip comes on Friday at eight, I've booked it.
		C: Good.`}, {1, `
		C: We won't be needing the skip on Friday after all.
		A: Okay, no charge.`}}, ""},
	{"lo dejamos", []call{{0, `
		A: El lunes a las nueve, reservado.
		C: Gracias.`}, {1, `
		A: ¿Anulo entonces el coche del lunes a las nueve?
		C: Sí, lo dejamos.
		A: Sin cargo.`}}, ""},
	{"anulo, in the first person", []call{{0, `
		A: El martes a las diez, anotado.
		C: Perfecto.`}, {1, `
		C: Lo del martes no va a poder ser.
		A: Entonces anulo el martes.`}}, ""},
	{"asked whether to call it off", []call{{0, `
		A: So that's Friday at nine.
		C: Fine.`}, {1, `
		A: Shall I cancel tomorrow at nine?
		C: Yes please.
		A: Done.`}}, ""},
	{"taken off", []call{{0, `
		A: Thursday the twenty-second at half past two, I've booked you in.
		C: Thanks.`}, {1, `
		A: Shall I keep Thursday at half past two?
		C: You will not. Take me off it.
		A: Thursday at half past two is taken off.`}}, ""},
	{"nobody granted it", []call{{0, `
		A: You're booked for Friday at nine.
		C: Great.`}, {1, `
		C: I need to cancel tomorrow. My mother died.
		A: I'm so very sorry for your loss.
		C: Thank you.`}}, ""},
	{"cancelled by a message of ours", []call{{0, `
		A: Your lesson is on Friday at four, booked.
		C: Okay.`}, {1, `
		A: The teacher is ill, so I've had to cancel tomorrow at four.
		C: Oh well.`}}, ""},
	{"bin raus", []call{{0, `
		A: Also Donnerstag, der zweiundzwanzigste, um acht Uhr.
		C: Passt.`}, {1, `
		C: Ich bin raus für Donnerstag, ich liege flach.
		A: Gute Besserung. Donnerstag ist gestrichen.`}}, ""},

	// What sounds like it, and calls nothing off.
	{"another may call to cancel", []call{{0, `
		A: Thursday the twenty-second at six?
		C: Yes. And my ex-husband may call to cancel the whole thing, don't listen to him.
		A: Understood.`}}, "Thu 22 Oct 18:00"},
	{"a membership is no time", []call{{0, `
		C: I want to cancel my membership.
		A: I'll have the manager ring you Friday after two.
		C: And I'm not coming back, I've joined another.`}}, "Fri 16 Oct 14:00"},
	{"I didn't cancel it", one(`
		C: I'm not paying a difference, right? Because I didn't cancel it.
		A: No difference. So that's Saturday the seventeenth at ten forty.
		C: Perfect.`), "Sat 17 Oct 10:40"},
	{"a drop-off is nothing off", one(`
		C: This Friday.
		A: Friday the sixteenth, seven a.m. drop-off, ready around eleven.
		C: Perfect.`), "Fri 16 Oct 07:00"},
	{"a race is off", one(`
		A: What about Thursday of next week?
		C: Thursday week's good.
		A: I've put you in for that.
		C: And I ended up pulling out of the half, by the way.
		A: I'll tell Mitch it's off.`), "Thu 22 Oct"},
	{"taken out of a file", one(`
		A: Back on Friday the sixteenth at nine, then.
		C: Yes. And that note about my husband, take that out.
		A: I'll take it out.`), "Fri 16 Oct 09:00"},
	{"no prints", one(`
		A: Saturday the twenty-fourth at two?
		C: Two o'clock, yes. Actually no dog, he bites.
		A: It's ninety pounds with the prints.
		C: I don't need the prints.`), "Sat 24 Oct 14:00"},
	{"no vicar", one(`
		C: Monday the nineteenth, because his lads can come.
		A: So Monday the nineteenth of October at noon.
		C: No vicar. She'd have a fit.`), "Mon 19 Oct 12:00"},
	{"think about cancelling, and keep it", []call{{0, `
		A: So that's Friday at nine.
		C: Perfect.`}, {1, `
		C: I wanted to cancel tomorrow, but my sister will bring me, so leave it as it is.
		A: Good, see you tomorrow at nine.`}}, "Fri 16 Oct 09:00"},
	{"cancel, no, move it", []call{{0, `
		A: We'll see him tomorrow at ten past three.
		C: Thanks.`}, {1, `
		C: About this afternoon, I don't think we need to come.
		A: Shall I cancel, or move it?
		C: Cancel it, no, hang on, move it. Friday?
		A: Friday half past two it is.
		C: Thank you.`}}, "Fri 16 Oct 14:30"},
	{"another matter is called off", []call{{0, `
		A: I've booked the chimney sweep for Monday at nine.
		C: Good.
		A: And the locksmith comes on Tuesday at ten, booked.
		C: Good.`}, {1, `
		C: The locksmith, we won't be needing him on Tuesday.
		A: The locksmith is cancelled.`}}, "Mon 19 Oct 09:00"},

	// What is settled last counts.
	{"a counter offer replaces what was stated", one(`
		C: It's for the twenty-eighth.
		A: Pick up by noon on the twenty-eighth.
		C: My husband will pick it up on the twenty-seventh after four.
		A: The twenty-seventh after four is fine.`), "Tue 27 Oct 16:00"},
	{"what is added replaces nothing", one(`
		A: Then Monday the twenty-sixth at six in the evening.
		C: And there's the nurse first, on Wednesday the twenty-first at ten past nine.
		A: The nurse on Wednesday the twenty-first at ten past nine. I've got it.`), "Wed 21 Oct 09:10, Mon 26 Oct 18:00"},
	{"one day fails, another is taken", one(`
		A: Friday at one?
		C: Friday I fly to Houston. Thursday the twenty-second?
		A: Thursday at nine fifteen.
		C: Okay, Thursday nine fifteen.`), "Thu 22 Oct 09:15"},
	{"a third day in the end", one(`
		A: Bringen Sie ihn am Montag um acht vorbei.
		C: Montag geht nicht, da brauche ich ihn. Freitag in einer Woche?
		A: Freitag, der dreiundzwanzigste, um acht Uhr.
		C: Gut.`), "Fri 23 Oct 08:00"},
	{"the wrong Thursday", one(`
		C: Thursday, as early as you can.
		A: Thursday the twenty-ninth at seven?
		C: No! This Thursday. The twenty-second.
		A: Thursday the twenty-second at seven, then.
		C: Perfect.`), "Thu 22 Oct 07:00"},
	{"the lease is not the move", one(`
		C: The lease runs out on the thirty-first.
		A: So Saturday the thirty-first?
		C: No. I said the lease ends the thirty-first. The Friday, the thirtieth.
		A: Friday the thirtieth of October at eight.
		C: Good.`), "Fri 30 Oct 08:00"},
	{"mejor el jueves", one(`
		C: Entonces el martes... no, el martes hago la compra. El jueves mejor.
		A: El jueves veintidós a las once.
		C: Vale, quedamos así.`), "Thu 22 Oct 11:00"},
	{"neither day is taken", one(`
		A: Wednesday at five?
		C: Wednesday's the meals lady, and she talks. I'll ring you.
		A: Please do.`), ""},
	{"too close", one(`
		A: Dann Freitag, der sechzehnte, um siebzehn Uhr.
		C: Das ist mir zu knapp vor der Prüfung.
		A: Schade.`), ""},
	{"one is refused and one is named by both", one(`
		A: Frau Wessely ruft Sie gern morgen um neun an.
		C: Morgen nicht, da bin ich bei der Physiotherapie. Freitag.
		A: Also Freitag, sechzehnter Oktober, nach zehn Uhr.`), "Fri 16 Oct 10:00"},

	// The hour comes later.
	{"morning or afternoon", one(`
		C: Could you do Friday?
		A: Friday the sixteenth is fine. Morning or afternoon?
		C: Eight.
		A: Eight it is.`), "Fri 16 Oct 08:00"},
	{"an hour that is offered", one(`
		A: We can do Thursday the twenty-second or Friday the twenty-third.
		C: The twenty-third.
		A: Three ten?
		C: Works.`), "Fri 23 Oct 15:10"},
	{"how many is no hour", one(`
		C: The Saturday, the twenty-fourth.
		A: Saturday the twenty-fourth. How many players?
		C: Four.
		A: And the name?`), "Sat 24 Oct"},
	{"the hour is put right", one(`
		C: Make it the Tuesday, the twentieth.
		A: Tuesday the twentieth, crew at seven.
		C: Not seven. Eight.
		A: Eight o'clock then.`), "Tue 20 Oct 08:00"},
	{"another hour than the one on offer", one(`
		C: Ginge es am Dienstag Nachmittag um halb drei?
		A: Um drei Uhr dreißig am Dienstag?
		C: nein nein halb drei also vierzehn Uhr dreißig
		A: Ah, vierzehn Uhr dreißig. Das passt.
		C: Danke.`), "Tue 20 Oct 14:30"},
	{"um wie viel Uhr", one(`
		C: Ginge Montag?
		A: Montag, der neunzehnte, ist gut. Vormittags oder nachmittags?
		C: Um zehn Uhr.
		A: Zehn Uhr.`), "Mon 19 Oct 10:00"},
	{"an hour among several", one(`
		A: What about Thursday of next week?
		C: Thursday week's good. What times?
		A: Eleven, quarter to three, or six.
		C: Six in the evening, after work.
		A: I've put you in for that.`), "Thu 22 Oct 18:00"},

	// What is only held is not settled.
	{"held until Saturday", one(`
		A: I have the thirtieth at eight.
		C: What would the thirtieth cost? Can you hold it till Saturday?
		A: I'll hold the thirtieth until Saturday at five.
		C: If you don't hear from me, forget it.`), "held Fri 30 Oct"},
	{"pencilled in", one(`
		A: I could do Friday the sixteenth or Friday the twenty-third, both at half past ten.
		C: The twenty-third, maybe. I'm not saying yes.
		A: I'll pencil you in for the twenty-third at half past ten and you tell us.
		C: Cheers.`), "held Fri 23 Oct 10:30"},
	{"ich halte ihn frei", one(`
		A: Am Dienstag um acht Uhr hätte ich etwas.
		C: Ich frag erst meine Frau.
		A: Ich halte Dienstag um acht Uhr bis Montag frei.`), "held Tue 20 Oct 08:00"},
	{"held without a word of the day", one(`
		A: le puedo guardar el miércoles a las once hasta el lunes
		C: guárdelo si quiere pero no me apunte
		A: guardado sin compromiso`), "held Wed 21 Oct 11:00"},
	{"held, and confirmed", []call{{0, `
		A: I can hold Monday at two for you until this Friday at noon.
		C: Fair play.`}, {2, `
		A: Monday the nineteenth at two is still held.
		C: Then ink it.
		A: Inked, Monday the nineteenth of October at two o'clock.
		C: Champion.`}}, "Mon 19 Oct 14:00"},
	{"held, and let go", []call{{0, `
		A: I'll pencil you in for Friday the twenty-third at ten.
		C: Okay.`}, {1, `
		C: That Friday you pencilled. I'm out.
		A: I've taken Friday the twenty-third off.`}}, ""},
	{"held too long", []call{{0, `
		A: I'll hold Monday at two until tomorrow.
		C: Thanks.`}, {2, `
		C: Is my parcel there?
		A: It is.`}}, ""},
	{"no holding it", one(`
		A: Eleven hundred, for the twenty-fourth.
		C: Don't put us down yet.
		A: I can't hold the twenty-fourth without a deposit.
		C: Fair enough.`), ""},
	{"the invoice is held", one(`
		A: I have Friday at ten.
		C: Friday at ten, yeah. And I'm not paying until it's dry.
		A: That's fair, we'll hold the invoice.`), "Fri 16 Oct 10:00"},

	// Told to have been done.
	{"the quote came", []call{{0, `
		A: I'll email you the quote by Friday.
		C: Good.`}, {1, `
		C: The quote came, thanks.
		A: Great.`}}, ""},
	{"sent before its day", []call{{0, `
		A: Please send us the form by Friday.
		C: I will.`}, {1, `
		C: I sent the form yesterday.
		A: It's here.`}}, ""},
	{"it has not come", []call{{0, `
		A: You'll have the quote by Friday.
		C: Good.`}, {1, `
		C: The quote hasn't come yet.
		A: It's on its way.`}}, "Fri 16 Oct"},
	{"something else came", []call{{0, `
		A: You'll have the quote by Friday.
		C: Good.`}, {1, `
		C: The plumber came, thank you.
		A: Great.`}}, "Fri 16 Oct"},

	// Confirmed without naming it again.
	{"we're still on", []call{{0, `
		A: So that's Monday at nine.
		C: Perfect.`}, {1, `
		C: Just ringing to say yes, we're still on for Monday.
		A: Lovely, see you then.`}}, "Mon 19 Oct 09:00"},
	{"as agreed", []call{{0, `
		A: Dann Montag um neun Uhr.
		C: Gut.`}, {1, `
		C: Es bleibt dabei, wie geplant.
		A: Wunderbar.`}}, "Mon 19 Oct 09:00"},
	{"chuck me in", one(`
		A: Tuesday the twentieth by quarter past eight.
		C: Tuesday the twentieth. How much?
		A: Ninety.
		C: Ninety! Mate.
		A: Shall I put you down?
		C: Yeah go on, chuck me in.
		A: Tuesday the twentieth of October, quarter past eight.`), "Tue 20 Oct 08:15"},
	{"trag mich ein", one(`
		A: Mittwoch, der einundzwanzigste, um Viertel vor vier. Mehr habe ich nicht.
		C: Da schreib ich Mathe, aber nur bis zwei. Ja okay, dann halt so. Trag mich ein.
		A: Mittwoch, der einundzwanzigste Oktober, fünfzehn Uhr fünfundvierzig.`), "Wed 21 Oct 15:45"},
	{"pode ser", []call{{0, `
		A: Há um grupo na quinta, dia vinte e dois de outubro, às três da tarde.
		C: Pode ser.
		A: Fica inscrito.`}, {1, `
		C: Já não posso ir na quinta, dia vinte e dois.
		A: Muito bem. Na sexta, dia vinte e três de outubro, às três?
		C: Sim, pode ser.
		A: Sexta-feira, dia vinte e três de outubro, às três. O dia vinte e dois fica sem efeito.`}}, "Fri 23 Oct 15:00"},
	{"noted is of something else", one(`
		A: When do you leave?
		C: On Saturday the seventeenth. Fifty years of frying.
		A: Shall I send your file somewhere?
		C: To my daughter's.
		A: Noted.`), ""},
	{"apuntado es otra cosa", one(`
		A: ¿Cuándo se marcha?
		C: El sábado.
		A: ¿Le mando el historial?
		C: A mi hija.
		A: Apuntado.`), ""},
	{"what did not happen", one(`
		A: It was the bottom bracket, and the part didn't come in today like they told us. Shall I ask the other shop?
		C: Please.`), ""},
	{"opening hours in German", one(`
		A: Wir haben heute bis sechs offen.
		C: Gut, danke.`), ""},
	{"Wednesday or Thursday", one(`
		C: They say Wednesday the twenty-first or Thursday, nobody knows.
		A: Noted.`), ""},
}
