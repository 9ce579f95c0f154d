package agreement_test

import "testing"

// More of what people say, by what each is an example of.
func TestWhatStandsByShape(t *testing.T) {
	for _, d := range shapes {
		t.Run(d.name, func(t *testing.T) {
			if got := told(t, d.calls...); got != d.want {
				t.Errorf("got %q, want %q", got, d.want)
			}
		})
	}
}

var shapes = []struct {
	name  string
	calls []call
	want  string
}{
	{"a deadline is a promise", one(`
		C: I need the key by the weekend.
		A: A spare comes by courier by Friday. Is the address still the same?
		C: No, I moved. Lock Street four.`), "Fri 16 Oct"},
	{"a deadline, not met by what follows", one(`
		A: I'll send the estimate over by tomorrow. When would suit you for the work itself?
		C: Not this week. Tuesday the 27th.
		A: Tuesday the 27th at eight, then.
		C: Good.`), "Thu 15 Oct, Tue 27 Oct 08:00"},
	{"what is next is told", one(`
		A: Your next fitting is Monday at four. Anything else?
		C: No, thank you.`), "Mon 19 Oct 16:00"},
	{"read back with a then", one(`
		C: Would you ring me before I go in?
		A: Then Monday the nineteenth, at six in the evening.
		C: You're a treasure.`), "Mon 19 Oct 18:00"},
	{"a sigh is no contradiction", one(`
		C: They want me there on Wednesday the twenty-first at ten past nine.
		A: Wednesday the twenty-first at ten past nine. I've got it.
		C: I'm not worried, you know. Well. Perhaps a bit.`), "Wed 21 Oct 09:10"},
	{"wrong, in so many words", one(`
		A: So that's Friday the sixteenth at ten.
		C: No, that's this week. A week on Friday. The twenty-third.
		A: The twenty-third at ten, then.
		C: Yes.`), "Fri 23 Oct 10:00"},
	{"the hour was wrong", one(`
		A: So that's Friday at nine.
		C: No, half past nine.
		A: Half past nine on Friday, sorry.
		C: Thanks.`), "Fri 16 Oct 09:30"},
	{"from an hour on", one(`
		A: He's free Friday the sixteenth from seven, or Monday the nineteenth.
		C: The sixteenth, please.`), "Fri 16 Oct 07:00"},
	{"one day is taken up with something", one(`
		A: We could bring it today, or tomorrow between three and five.
		C: I've got the little ones here all day today, and they've sticky hands.
		A: Then tomorrow between three and five, no charge.
		C: Lovely.`), "Thu 15 Oct 15:00"},
	{"hang on", one(`
		A: I could send the fitter on Tuesday.
		C: Tuesday, hang on, let me find my diary.`), ""},
	{"a Sunday that will not do, and why", one(`
		A: Le ofrezco este domingo.
		C: Este domingo no, porque es dieciocho y vienen mis hijos.
		A: Entendido.`), ""},
	{"called off by its matter, with another plan", []call{{0, `
		A: The lorry takes the wardrobe on Wednesday the twenty-first.
		C: Good.
		A: I've booked that.
		C: Thank you.`}, {1, `
		C: Scrap the wardrobe. My cousin's taking it on Saturday.
		A: The wardrobe's cancelled.`}}, ""},
	{"called off by its day", []call{{0, `
		A: I've booked Monday at nine for you.
		C: Great.`}, {2, `
		C: About Monday. I have to cancel.
		A: No problem, that's cancelled.`}}, ""},
	{"moved, and then called off", []call{{0, `
		A: So that's Friday at nine.
		C: Perfect.`}, {1, `
		C: Could we move tomorrow to Monday?
		A: I've moved it to Monday at nine.
		C: Thanks.`}, {2, `
		C: Sorry, I need to cancel Monday.
		A: It's cancelled.`}}, ""},
	{"called off in the same call", one(`
		A: I've put you down for Friday at nine.
		C: Great. Oh no. I'm in Leeds. Cancel that, would you?
		A: That's cancelled.`), ""},
	{"called off by us", []call{{0, `
		A: You're booked for Friday at nine.
		C: Great.`}, {1, `
		A: I'm afraid the teacher is ill. Tomorrow is cancelled.
		C: Oh, what a pity.`}}, ""},
	{"two matters, one moved", []call{{0, `
		A: The plumber comes on Monday at nine, I've booked him.
		C: Good.
		A: And the painter is booked for Tuesday at ten.
		C: Good.`}, {1, `
		C: Can the painter come on Thursday instead?
		A: The painter is moved to Thursday the twenty-second at ten.
		C: Great.`}}, "Mon 19 Oct 09:00, Thu 22 Oct 10:00"},
	{"only talk of what was", one(`
		C: You came on Monday and the tap dripped again on Tuesday.
		A: I'm sorry to hear it.`), ""},
	{"a question about hours", one(`
		C: Are you open on Saturday?
		A: We're open on Saturday from nine till one.
		C: Thanks.`), ""},
	{"an offer among questions", one(`
		A: Would Friday at two suit you?
		C: Friday at two. Yes.
		A: Wonderful.`), "Fri 16 Oct 14:00"},
	{"the caller names it, and it is booked", one(`
		C: I'd like a table for four on Saturday at eight.
		A: You're booked.
		C: Ta.`), "Sat 17 Oct 20:00"},
	{"without punctuation, contested", one(`
		A: so thats monday at eleven
		C: no not monday tuesday
		A: tuesday at eleven then
		C: thanks`), "Tue 20 Oct 11:00"},
	{"a call back that is promised", one(`
		C: When will I hear from you?
		A: I'll ring you tomorrow at five.
		C: Fine.`), "Thu 15 Oct 17:00"},
	{"the first of two", one(`
		A: There's Thursday at nine, or Friday at four.
		C: The first one.`), "Thu 15 Oct 09:00"},
	{"verschoben", []call{{0, `
		A: Dann Freitag um neun Uhr.
		C: Gut.`}, {1, `
		C: Ich muss morgen absagen.
		A: Der Termin ist storniert.`}}, ""},
	{"hasta el lunes", one(`
		C: ¿Puede venir alguien el lunes?
		A: El lunes a las diez, anotado.
		C: Gracias.`), "Mon 19 Oct 10:00"},
	{"only if something else happens", one(`
		A: If the parts come in, it is ready by Friday.
		C: Fine.`), ""},
	{"what may be", one(`
		A: Somebody might ring you tomorrow.
		C: Fine.`), ""},
	{"a condition that the caller takes up with the day", one(`
		A: If Friday at two suits you, it's yours.
		C: Friday at two, yes please.
		A: You're booked.`), "Fri 16 Oct 14:00"},
	{"it is today only", one(`
		C: You said by Friday and now its wednesday so hi.
		A: Let me look into that.`), ""},
	{"nobody answers", one(`
		A: So I have you down for Monday at nine. Hello? Are you there?`), "Mon 19 Oct 09:00"},
	{"the hour behind its day", one(`
		A: Would the tenth of November do for the fitting, the same time?
		C: The tenth is fine. Same time, half past five.
		A: See you then.`), "Tue 10 Nov 17:30"},
	{"an hour behind its day, of something else", one(`
		A: Would Friday do?
		C: Friday is fine. I leave work at five.
		A: See you Friday.`), "Fri 16 Oct"},
	{"an hour behind its day, asked about", one(`
		A: Would Friday do?
		C: Friday is fine. Could it be half past two?
		A: I'll have to ask.`), "Fri 16 Oct"},
	{"la hora detrás del día", one(`
		A: ¿Le viene bien el viernes?
		C: El viernes me viene bien. A las cinco y media.
		A: Perfecto.`), "Fri 16 Oct 17:30"},
	{"the offered hour in a reason against it", one(`
		A: I could do Tuesday at three.
		C: I'm at the dentist at three.
		A: I see. What about Wednesday the twenty-first at nine?
		C: Hm, I'll ring you back.`), ""},
	{"the offered hour in a reason, and another taken", one(`
		A: I could do Tuesday at three.
		C: At three I pick the boys up.
		A: Four o'clock then?
		C: Four's good.
		A: Tuesday at four it is.`), "Tue 20 Oct 16:00"},
	{"another hour of the offered day", one(`
		A: How about Tuesday at two?
		C: Could we say three?
		A: Three works. See you then.`), "Tue 20 Oct 15:00"},
	{"another hour of the offered day, refused", one(`
		A: How about Tuesday at two?
		C: Could we say three?
		A: Three is gone, I'm afraid.
		C: Then I'll leave it.`), ""},
	{"another hour of the offered day, and the first one after all", one(`
		A: How about Tuesday at two?
		C: Could we make it three?
		A: Three is taken, I'm afraid. Two or nothing.
		C: Two, then.`), "Tue 20 Oct 14:00"},
	{"ein Rückruf", one(`
		C: Wann höre ich von Ihnen?
		A: Wir rufen Sie am Freitag um neun zurück.
		C: Gut.`), "Fri 16 Oct 09:00"},
	{"ein Besuch", one(`
		C: Wann kommt jemand?
		A: Der Monteur kommt am Dienstag um neun vorbei.
		C: Danke.`), "Tue 20 Oct 09:00"},
	{"ein Besuch, der nicht kommt", one(`
		C: Wann kommt jemand?
		A: Am Dienstag kommt leider niemand.
		C: Schade.`), ""},
	{"es kommt darauf an", one(`
		C: Geht es am Dienstag?
		A: Das kommt darauf an, was kaputt ist.
		C: Die Pumpe.`), ""},
	{"ein Besuch, der fraglich ist", one(`
		C: Wann kommt jemand?
		A: Der Monteur kommt am Dienstag vielleicht vorbei.
		C: Aha.`), ""},
	{"the evening before by its weekday", one(`
		C: The heart clinic sees me a week on Friday, at ten.
		A: Friday the twenty-third at ten, thank you. I'll ring you the Thursday before at five.
		C: Five's fine.`), "Thu 22 Oct 17:00, Fri 23 Oct 10:00"},
	{"das Gerüst zwei Tage vorher", one(`
		A: Mittwoch, der vierte November, ab sieben Uhr. Das Gerüst kommt zwei Tage vorher, am Montag.
		C: Gut.
		A: Ich schreibe es auf.`), "Mon 2 Nov, Wed 4 Nov 07:00"},
	{"asked whether it is off, and a yes", []call{{0, `
		A: You're booked for Sunday the twenty-fifth at five.
		C: Great.`}, {2, `
		C: I broke my wrist. The twenty-fifth is obviously not happening for me.
		A: Do you want to cancel? The deposit comes back until Thursday at noon.
		C: So mom said cancel, but my friends are all like no. Could we like move it?
		A: I could do the first of November at six.
		C: Can you hold it and not book it?
		A: I'll hold it until this Saturday. And October twenty-fifth, that one's off?
		C: yeah kill it. But keep the deposit for the new one?`}}, "held Sun 1 Nov 18:00"},
	{"back by a day", one(`
		A: You could have the loan drill from tomorrow, but it has to be here again by Monday the nineteenth.
		C: No worries.`), "Mon 19 Oct"},
	{"a day, and when it is done", one(`
		A: Thursday the twenty-second at eight in the morning, then, and done by Friday evening.
		C: That's well inside Saturday week. Go on so.`), "Thu 22 Oct 08:00"},
	{"the hour is taken up, and read back with its day", one(`
		C: Me again, we were cut off at the Saturday boat.
		A: The half past eight lands at nine, the ten past two at quarter past three.
		C: The ten past two, then.
		A: Saturday the twenty-fourth at ten past two, one driver. Is anyone travelling with you?
		C: Just the dog.`), "Sat 24 Oct 14:10"},
	{"right, it goes then", one(`
		C: I was for saying Sunday, but there's no late boat.
		A: That's right, the last one this Sunday goes at noon. Monday the nineteenth has a quarter to eight.
		C: I'll think.`), ""},
	{"held, and not booked", one(`
		C: What's the Tuesday?
		A: Five past eleven. I can hold the space unpaid until noon tomorrow.
		C: Hold it, then, don't book it. I'll speak to her and ring you.
		A: So it's held and not booked: Tuesday the twentieth at five past eleven.
		C: Aye. And here's another thing.`), "held Tue 20 Oct 11:05"},
	{"only pencilled, without marks", one(`
		A: so monday the second of november at nine shall i book you in
		C: pencil me don't book me i need leave first
		A: pencilled then`), "held Mon 2 Nov 09:00"},
	{"the last thing there is, pencilled", one(`
		A: You would have to sign once more. Tomorrow at nine?
		C: Tomorrow how? They have admitted my daughter.
		A: Thursday the twenty-second at one is the last thing I have.
		C: Okay, see. If my husband will sit with her, I'll come. But don't fix it. Just pencil me, let me ask him first.
		A: Pencilled and not confirmed.`), "held Thu 22 Oct 13:00"},
	{"what is open is no booking", one(`
		C: What about November fifth?
		A: Thursday November fifth, five is the youth team's, but six to eight is open.
		C: Let me ask the others.`), ""},
	{"from a day to a day", one(`
		C: Can it be frozen?
		A: Done, frozen from November first to November thirtieth.
		C: Okay, thanks.`), ""},
	{"what would be, and is not wanted", one(`
		C: Can you post it?
		A: We can. You'd have it by Friday week.
		C: By then it's set hard. Have you one to lend?
		A: The demo one, yes.`), ""},
	{"a wish beside what is settled holds nothing up", one(`
		A: So that's Friday at nine.
		C: Good. But don't put the ladder before the gate, and hold the onions.`), "Fri 16 Oct 09:00"},
	{"told to have happened", []call{{0, `
		A: The parcel will be there on Friday.
		C: Good.`}, {1, `
		C: The parcel came today.
		A: I'm glad.`}}, ""},
}
