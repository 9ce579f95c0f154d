package guard

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/recallerhq/recaller"
)

// example is a text, and what is left of it.
type example struct{ asked, text, want string }

func (e example) run(t *testing.T) {
	t.Helper()
	got, found := Mask(e.text, e.asked)
	if got != e.want {
		t.Errorf("%q, asked %q:\n got %q\nwant %q", e.text, e.asked, got, e.want)
	}
	if (got != e.text) != (len(found) > 0) {
		t.Errorf("%q: told of %v", e.text, found)
	}
	if again, more := Mask(got, e.asked); again != got || len(more) > 0 {
		t.Errorf("%q: masked again it is %q", got, again)
	}
}

func TestCardNumbersAreMaskedHoweverTheyAreWritten(t *testing.T) {
	const m = "[card number ending in 1111]"
	for _, text := range []string{
		"4111111111111111", "4111 1111 1111 1111", "4111-1111-1111-1111", "4111.1111.1111.1111", "4111–1111–1111–1111",
		"4 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1", "41 11 11 11 11 11 11 11", "41111111 11111111", "411111 1111111111", "4111, 1111, 1111, 1111",
		"411 1111 1111 11111", "4111\n1111 1111 1111", "４１１１ １１１１ １１１１ １１１１", "٤١١١ ١١١١ ١١١١ ١١١١",
		"4\u200b1\u200b1\u200b1\u200b1\u200b1\u200b1\u200b1\u200b1\u200b1\u200b1\u200b1\u200b1\u200b1\u200b1\u200b1",
		"4111\u00a01111\u20091111\u00a01111", "4\ufe0f\u20e3111 1111 1111 1111",
	} {
		example{"", text, m}.run(t)
		example{"", "It's " + text + ", thanks.", "It's " + m + ", thanks."}.run(t)
	}
	for _, e := range []example{
		{"", "amex 3782 822463 10005", "amex [card number ending in 0005]"},
		{"", "5555 5555 5555 4444 and 4111 1111 1111 1111", "[card number ending in 4444]"},
		{"", "2223 0031 2200 3222 please", "[card number ending in 3222] please"},
		{"", "3056 930902 5904", "[card number ending in 5904]"},
		{"", "6011111111111117", "[card number ending in 1117]"},
		{"", "card:4111111111111111", "card:[card number ending in 1111]"},
		{"", "my card, 4222 2222 2222 2", "my card, [card number ending in 2222]"},
	} {
		e.run(t)
	}
}

func TestCardNumbersAreMaskedHoweverTheyAreSpoken(t *testing.T) {
	const m = "[card number ending in 1111]"
	ones := func(word string, n int) string { return strings.Repeat(" "+word, n) }
	for _, text := range []string{
		"four" + ones("one", 15), "Four one, uh, one one," + ones("one", 12), "four one one one then" + ones("one", 12),
		"four triple one" + ones("double one", 6), "forty-one" + ones("eleven", 7), "forty one eleven" + ones("eleven", 6),
		"4 one one one 1111 1111 eleven eleven", "four one one one, and then 1111 1111 1111", "forty one hundred and eleven",
		"vier" + ones("eins", 15), "cuatro" + ones("uno", 15), "quatre" + ones("un", 15), "quatro" + ones("um", 15), "quattro" + ones("uno", 15),
		"einundvierzig" + ones("elf", 7), "cuarenta y uno" + ones("once", 7), "quarante et un" + ones("onze", 7),
		"quarenta e um" + ones("onze", 7), "quarantuno" + ones("undici", 7),
	} {
		if strings.Contains(text, "hundred") {
			continue // read below: nobody says a whole number so
		}
		example{"", text, m}.run(t)
		example{"", "yes " + text + ".", "yes " + m + "."}.run(t)
	}
	for _, e := range []example{
		{"", "four oh one two eight eight eight eight eight eight eight eight one eight eight one", "[card number ending in 1881]"},
		{"", "four zero one two, double eight double eight, double eight double eight, one double eight one", "[card number ending in 1881]"},
		{"", "four for one two", "four for one two"},
		{"", "three seven eight two, eight two two four six three, one triple oh five", "[card number ending in 0005]"},
	} {
		e.run(t)
	}
}

func TestAnAnswerIsMaskedThoughTheRecogniserLostDigits(t *testing.T) {
	const q = "Sure. What's the card number?"
	for _, e := range []example{
		{q, "4111 1111 111 1111", "[card number]"},
		{q, "it's four one one one", "it's [card number]"},
		{q, "four one one", "[card number]"},
		{q, "4111 1111 1111 1111", "[card number ending in 1111]"},
		{q, "4111, one one one one, uh, 1111 and then eleven eleven", "[card number ending in 1111]"},
		{q, "My number is 555 1234", "My number is [card number]"},
		{q, "I don't have it here, my phone number is 555 123 4567.", "I don't have it here, my phone number is 555 123 4567."},
		{q, "I've had it since 2019, it's 4111 11", "I've had it since 2019, it's [card number]"},
		{q, "I have two of them", "I have two of them"},
		{q, "It was stolen on March 3rd 2024", "It was stolen on March 3rd 2024"},
		{"could you read me the card please", "4111 11", "[card number]"},
		{"And the last four digits of your card?", "1111", "1111"},
		{"What's your phone number?", "555 123 4567", "555 123 4567"},
		{"What's your order number?", "4111 1111 1111 1111", "4111 1111 1111 1111"},
		{"Can I have your card number and your phone number?", "555 123 4567", "555 123 4567"},
		{"Wie lautet die Kartennummer?", "vier eins eins eins", "[card number]"},
		{"¿Cuál es el número de la tarjeta?", "cuatro uno uno uno", "[card number]"},
		{"Quel est le numéro de carte ?", "quatre un un un", "[card number]"},
		{"[card number ending in 1111]", "So that's 4111, 1111, got it", "So that's [card number], got it"},
		{"", "my card number is 4111 1111 111 1111", "my card number is [card number]"},
		{"", "the card is 4111 1111 1111 111", "the card is [card number]"},
	} {
		e.run(t)
	}
}

func TestExpiryAndSecurityCodesAreMaskedWhereACardIsMeant(t *testing.T) {
	for _, e := range []example{
		{"", "the security code is 123", "the security code is [security code]"},
		{"", "CVV 1234", "CVV [security code]"},
		{"", "the three digits on the back are one two three", "the three digits on the back are [security code]"},
		{"", "my card 4111 1111 1111 1111 expires 12/27, CVC is 123", "my card [card number ending in 1111] expires [card expiry], CVC is [security code]"},
		{"", "the card's expiration date is December 2027", "the card's expiration date is [card expiry]"},
		{"And the security code?", "one two three", "[security code]"},
		{"And the expiration date?", "oh nine twenty seven", "[card expiry]"},
		{"When does the card expire?", "It's September of 2027.", "It's [card expiry]."},
		{"And the expiration date on your passport?", "09/27", "09/27"},
		{"", "my passport expires 12/27", "my passport expires 12/27"},
		{"", "the milk expires 12/27", "the milk expires 12/27"},
		{"", "my visa expires 12/27", "my visa expires 12/27"},
	} {
		e.run(t)
	}
}

func TestNumbersOfStatesAreMasked(t *testing.T) {
	for _, e := range []example{
		{"", "123-45-6789", "[national id]"},
		{"", "it is 123 45 6789.", "it is [national id]."},
		{"", "my social is one two three four five six seven eight nine", "my social is [national id]"},
		{"", "my social security number is 123456789", "my social security number is [national id]"},
		{"", "the last four of my SSN are 6789", "the last four of my SSN are [national id]"},
		{"", "912-70-1234", "[national id]"},
		{"What's your social?", "one two three, forty five, six seven eight nine", "[national id]"},
		{"", "AB123456C", "[national id]"},
		{"", "national insurance number A B one two three four five six C", "national insurance number [national id]"},
		{"", "AB 12 34 56 C", "[national id]"},
		{"", "my SIN number is 046 454 286", "my SIN number is [national id]"},
		{"", "130-692-544", "[national id]"},
		{"", "meine Steuer-ID ist 86 095 742 719", "meine Steuer-ID ist [national id]"},
		{"", "86 095 742 719", "[national id]"},
		{"", "mi DNI es 12345678Z", "mi DNI es [national id]"},
		{"", "12345678-Z", "[national id]"},
		{"", "X1234567L", "[national id]"},
		{"", "1 84 12 76 451 089 46", "[national id]"},
		{"", "184127645108946", "[national id]"},
		{"", "RSSMRA85T10A562S", "[national id]"},
		{"", "111.444.777-35", "[national id]"},
		{"", "meu CPF é 11144477735", "meu CPF é [national id]"},
		{"", "2341 2341 2346", "[national id]"},
		{"", "my aadhaar number is 234123412346", "my aadhaar number is [national id]"},
		{"", "mijn BSN is 111222333", "mijn BSN is [national id]"},
		{"", "mój PESEL 44051401359", "mój PESEL [national id]"},
		{"", "mitt personnummer är 850709-9805", "mitt personnummer är [national id]"},
		{"", "123-45-6789 is my social", "[national id] is my social"},
		{"Can I get your national insurance number?", "AB 12 34 56 C", "[national id]"},
	} {
		e.run(t)
	}
}

func TestOfAPasswordOnlyTheSecretGoes(t *testing.T) {
	for _, e := range []example{
		{"", "my password is hunter2", "my password is [password]"},
		{"", "my password is hunter2.", "my password is [password]."},
		{"", "Password: P@ssw0rd!", "Password: [password]!"},
		{"", "my password is bluebird", "my password is [password]"},
		{"", "my password is 'correct horse battery staple'", "my password is '[password]'"},
		{"", "my password is b l u e four two", "my password is [password]"},
		{"", "the password for my account is blue42, and my name is Ann", "the password for my account is [password], and my name is Ann"},
		{"", "I changed my password to Fluffy99", "I changed my password to [password]"},
		{"", "the PIN is 4 7 1 1", "the PIN is [password]"},
		{"", "my pin's four seven one one", "my pin's [password]"},
		{"", "4711 is my pin", "[password] is my pin"},
		{"", "passcode 471100", "passcode [password]"},
		{"", "the security word is bluebird", "the security word is [password]"},
		{"", "your one-time code is 482 913", "your one-time code is [password]"},
		{"", "the verification code they sent me is 482913", "the verification code they sent me is [password]"},
		{"", "My PIN that you've got is 4417", "My PIN that you've got is [password]"},
		{"", "my pin you have there is four four one seven", "my pin you have there is [password]"},
		{"", "My PIN, which you have on file, is 4417.", "My PIN, which you have on file, is [password]."},
		{"", "the pin that's on file is 4417", "the pin that's on file is [password]"},
		{"", "the passcode that my husband set up is 4417", "the passcode that my husband set up is [password]"},
		{"", "My password that you have is hunter2", "My password that you have is [password]"},
		{"", "die PIN, die ihr habt, ist 4417", "die PIN, die ihr habt, ist [password]"},
		{"", "Die PIN, die ich Ihnen gegeben habe, lautet 4417.", "Die PIN, die ich Ihnen gegeben habe, lautet [password]."},
		{"", "el pin que tienen es 4417", "el pin que tienen es [password]"},
		{"", "el código PIN que ustedes tienen registrado es el 4417", "el código PIN que ustedes tienen registrado es el [password]"},
		{"", "le code PIN que vous avez est le 4417", "le code PIN que vous avez est le [password]"},
		{"", "my password is hunter2 and the pin is 4711", "my password is [password] and the pin is [password]"},
		{"", "mein Passwort ist geheim99", "mein Passwort ist [password]"},
		{"", "mi contraseña es perro123", "mi contraseña es [password]"},
		{"", "mon mot de passe est soleil", "mon mot de passe est [password]"},
		{"", "Mon code PIN, c'est 4471.", "Mon code PIN, c'est [password]."},
		{"", "a minha senha é gato77", "a minha senha é [password]"},
		{"What's your password?", "bluebird", "[password]"},
		{"What's your password?", "Sure, it's hunter two.", "Sure, it's [password]."},
		{"And your PIN, please?", "four seven one one", "[password]"},
		{"Please read me the code we sent you. What's the verification code?", "It's 482913", "It's [password]"},
	} {
		e.run(t)
	}
}

func TestTalkAboutPasswordsStays(t *testing.T) {
	for _, text := range []string{
		"my password is not working", "I forgot my password", "password reset", "my password is wrong", "I need a password reset",
		"my password is outdated and I can't log in", "the password must be 12 characters", "my PIN is four digits", "the password is case sensitive",
		"Is my password saved somewhere?", "I changed my password yesterday", "my password is the same as before", "a bobby pin is 4 inches",
		"I'd use a password manager", "I changed my password to get in", "my pin code is 560001", "the password is stored in the vault",
		"my PIN that you've got is four digits", "my pin, which I forgot, and the order is 4417", "the password that you sent me is wrong",
		"my pin that you sent took 14 days", "the pin that came with order 4417 is broken", "my pin that you have is valid for 12 months",
		"My password, which I forgot, is important", "Die PIN, die ich habe, ist falsch", "the PIN, that was 300 weeks ago",
		"the PIN that I have is 100 percent safe", "password is my birthday", "enable 2FA on your password manager", "the pin was blocked after 3 attempts", "[password]", "my password is [password]",
	} {
		example{"", text, text}.run(t)
	}
	for _, text := range []string{"I don't remember", "No.", "Why?", "It's not working", "What?", "I forgot it", "yes", "I'd rather not say"} {
		example{"What's your password?", text, text}.run(t)
	}
	example{"Did you change your password?", "yesterday", "yesterday"}.run(t)
}

// What a caller is known and served by stays.
func TestWhatIsNoSecretStays(t *testing.T) {
	for _, text := range []string{
		"call me at 555-123-4567", "(555) 123-4567", "+1 555 123 4567", "+44 20 7946 0958", "0049 151 12345678", "+4915112345678", "612 345 678", "06 12 34 56 78",
		"five five five one two three four five six seven", "555-123-4567 or 555-987-6543", "555-123-4567 555-987-6543", "1-800-555-0199", "+55 11 98765-4321",
		"order 4111111111111111", "my order number is 4111 1111 1111 1111", "booking reference 4111 1111 1111 1111", "tracking number 4111111111111111",
		"account number 4111111111111111", "4111 1111 1111 1111 is my tracking number", "the case number is five five five five five five five five five five five five four four four four",
		"9400 1000 0000 0000 0000 00", "1Z999AA10123456784", "flight BA2490", "ticket 220 1234567890", "confirmation AB12CD", "member id 4111111111111111",
		"DE89 3704 0044 0532 0130 00", "DE89370400440532013000", "GB29 NWBK 6016 1331 9268 19", "my IBAN is NL91 ABNA 0417 1643 00",
		"on 12/03/2026 at 10:30", "2026-11-21 23:21:20", "from 9 to 5, 7 days", "it's $4,111.11", "1,250,000 dollars", "4111 1111 1111 1112",
		"742 Evergreen Terrace, Springfield 12345-6789", "SW1A 1AA", "I'm 67 and have 3 kids", "two adults and four children, one of them nine",
		"one two three four five six seven eight nine ten eleven twelve", "2, 4, 6, 8, 10, 12, 14, 16, 18, 20", "192.168.100.200", "3.141592653589793",
		"social security pays me 1450 a month", "I saw it on social media 2000 times", "ending in 1111", "my card ending in 1111", "the last four digits are 1111",
		"https://example.com/p/4111111111111111", "978-3-16-148410-0", "4006381333931", "my license plate is AB12 CDE", "EM0320-59D", "item 12345678Z",
		"we need 4 of size 12 and 16 of size 10", "to 12 34 56 a", "my sin is pride", "nie wieder 12345678", "the gate code is 4711",
		"[card number ending in 1111]", "[card number]", "[national id]", "[security code]", "[card expiry]",
	} {
		example{"", text, text}.run(t)
	}
}

func TestANumberReadOutOverSeveralTurnsIsMaskedToItsEnd(t *testing.T) {
	var d Dialogue
	for _, turn := range []struct {
		speaker    recaller.Speaker
		text, want string
	}{
		{recaller.Assistant, "Could I take the card number?", "Could I take the card number?"},
		{recaller.User, "Sure, it's four one one one", "Sure, it's [card number]"},
		{recaller.Assistant, "Mhm.", "Mhm."},
		{recaller.User, "one one one one", "[card number]"},
		{recaller.Assistant, "4111 1111, got it.", "[card number], got it."},
		{recaller.User, "1111", "[card number]"},
		{recaller.Assistant, "And the last four?", "And the last four?"},
		{recaller.User, "eleven eleven", "[card number]"},
		{recaller.Assistant, "Thank you. And which day suits you?", "Thank you. And which day suits you?"},
		{recaller.User, "The 1st, at 1030, in room 1111.", "The 1st, at 1030, in room 1111."},
	} {
		if got, _ := d.Mask(turn.speaker, turn.text); got != turn.want {
			t.Errorf("%s: %q: got %q, want %q", turn.speaker, turn.text, got, turn.want)
		}
	}
}

func TestKindsAreToldForEachSecret(t *testing.T) {
	_, found := Mask("4111 1111 1111 1111, social 123-45-6789, password hunter2", "")
	if want := []Kind{Card, NationalID, Password}; !slices.Equal(found, want) {
		t.Errorf("got %v, want %v", found, want)
	}
}

func TestObjectsAreMaskedByTheNamesOfTheirFields(t *testing.T) {
	for _, tt := range []struct{ raw, want string }{
		{`{ "plan": "gold", "n": 1.0 }`, `{ "plan": "gold", "n": 1.0 }`},
		{`{"pin":"4711","note":"ok"}`, `{"note":"ok","pin":"[password]"}`},
		{`{"password":"correct horse"}`, `{"password":"[password]"}`},
		{`{"card_number":4111111111111111}`, `{"card_number":"[card number ending in 1111]"}`},
		{`{"orderId":"4111111111111111"}`, `{"orderId":"4111111111111111"}`},
		{`{"a":[{"notes":"my password is hunter2"}]}`, `{"a":[{"notes":"my password is [password]"}]}`},
		{`{"passwordReset":"true"}`, `{"passwordReset":"true"}`},
		{`{"ssn":"6789"}`, `{"ssn":"[national id]"}`},
		{`{"phone":"+12025550143","zip":"12345"}`, `{"phone":"+12025550143","zip":"12345"}`},
		{`not JSON`, `not JSON`},
		{``, ``},
	} {
		got, found := Object([]byte(tt.raw))
		if string(got) != tt.want || (tt.raw != tt.want) != (len(found) > 0) {
			t.Errorf("%s: got %s, %v, want %s", tt.raw, got, found, tt.want)
		}
		if again, more := Object(got); string(again) != string(got) || len(more) > 0 {
			t.Errorf("%s: masked again it is %s", got, again)
		}
	}
}

func TestNoPhraseHasTwoMeanings(t *testing.T) {
	for first, list := range phrases {
		for i, p := range list {
			for _, q := range list[i+1:] {
				if slices.Equal(p.words, q.words) {
					t.Errorf("%q (%s) is twice in the table", strings.Join(p.words, " "), first)
				}
			}
			if joined := strings.Join(p.words, " "); strings.ContainsFunc(joined, func(r rune) bool { return string(appendFolded(nil, r)) != string(r) }) {
				t.Errorf("%q is not folded", joined)
			}
		}
	}
}

func FuzzMask(f *testing.F) {
	for _, s := range [][2]string{
		{"my card is 4111 1111 1111 1111 exp 12/27 cvv 123", ""},
		{"four one one one", "your card number?"},
		{"4\u200b711 is my pin", ""},
		{"my password is \"a b\" [password] 4711", "What's your password?"},
		{"\xff1٢ card number [card number 1234567", "card number and ssn?"},
		{"double double one o oh to for 4 5", "security code?"},
		{"AB 12 34 56 C 86 095 742 719", "social?"},
		{"my password:\xff", ""},
		{"my password: hunter\xe2\x80", ""},
		{"\xff", "your password?"},
		{"pin pin 123 is is 4444 is my pin", ""},
	} {
		f.Add(s[0], s[1])
	}
	f.Fuzz(func(t *testing.T, text, asked string) {
		if len(text) > 2000 || len(asked) > 500 {
			return
		}
		got, found := Mask(text, asked)
		if (got != text) != (len(found) > 0) {
			t.Errorf("%q: got %q, told of %v", text, got, found)
		}
		if utf8.ValidString(text) && !utf8.ValidString(got) {
			t.Errorf("%q: got %q, which is no UTF-8", text, got)
		}
		if again, _ := Mask(got, asked); again != got {
			t.Errorf("%q: got %q, and masked again %q", text, got, again)
		}
	})
}

func BenchmarkMask(b *testing.B) {
	for name, text := range map[string]string{
		"nothing": "I was wondering whether you could move my appointment to the week after, since my sister is visiting us then.",
		"number":  "You can call me back at 555-123-4567, I have two more questions about the invoice from the ninth of March.",
		"card":    "Sure, it's four one one one, one one one one, one one one one, one one one one, and it expires in December.",
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				Mask(text, "Of course, what can I do for you today?")
			}
		})
	}
}
