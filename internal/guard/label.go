package guard

import (
	"maps"
	"slices"
	"strings"

	"github.com/recallerhq/recaller/internal/speech"
)

// class says what a phrase calls the number or the word beside it.
type class uint8

const (
	noClass    class = iota // says nothing, though it looks as if: "password reset"
	cardNumber              // "card number"
	cardWord                // "card", "visa"
	cardCode                // "security code"
	cardExpiry              // "expires"
	stateID                 // "social security number"
	secretWord              // "password"
	secretPIN               // "PIN": digits only
	oneTime                 // "verification code"
	other                   // a number that is no secret: "order", "phone"
	lastFour                // "last four digits"
)

// label is a phrase of a text that names what stands beside it.
type label struct {
	first, last int // tokens
	class       class
}

// phrases are by their first word, the longest first.
var phrases = compile(map[class]string{
	cardNumber: `card number|card no|card num|cc number|card digits|card details|credit card number|debit card number|number on the card|
		number on your card|number on my card|numbers on the card|numbers on your card|number on the front|long number|pan number|card info|card information|
		sixteen digits|sixteen digit number|kartennummer|kreditkartennummer|numero de tarjeta|numero de la tarjeta|numero de mi tarjeta|numero de su tarjeta|
		numero de carte|numero de la carte|numero de ma carte|numero de votre carte|numero do cartao|numero de cartao|numero del cartao|numero del mio cartao|
		numero di carta|numero della carta|numero della mia carta|numero della sua carta|numero da carta`,
	cardWord: `card|cards|credit|debit|visa|mastercard|amex|american express|maestro|discover card|kreditkarte|karte|tarjeta|carte|carte bancaire|cartao|carta`,
	cardCode: `security code|card security code|cvv|cvc|cvv2|cvc2|csc|card verification value|card verification number|code on the back|number on the back|
		numbers on the back|digits on the back|three digits on the back|three digit code|prufziffer|prufnummer|sicherheitscode|kartenprufnummer|
		codigo de seguridad|code de securite|cryptogramme|codigo de seguranca|codice di sicurezza`,
	cardExpiry: `expires|expiry|expiration|expiry date|expiration date|exp|exp date|valid through|valid thru|valid until|good through|good thru|expiring|
		gultig bis|ablaufdatum|vencimiento|fecha de vencimiento|caduca|fecha de caducidad|date d expiration|expire|validade|vencimento|scadenza|data di scadenza`,
	stateID: `social security|social security number|social security no|social security card|social number|ssn|my social|your social|full social|my social security|
		my social security number|your social security number|full social security number|itin|taxpayer id|
		taxpayer identification number|national insurance|national insurance number|ni number|nino|social insurance|social insurance number|sin number|
		national id|national id number|national identity number|national identification number|identity number|citizen number|id card number|
		steuer id|steuerid|steueridentifikationsnummer|steuerliche identifikationsnummer|steuernummer|sozialversicherungsnummer|
		dni|nif|numero de nie|mi nie|numero de dni|numero de securite sociale|securite sociale|codice fiscale|cpf|aadhaar|aadhar|adhaar|adhar|
		bsn|burgerservicenummer|sofinummer|pesel|personnummer|numero de identidad|carteira de identidade`,
	secretWord: `password|passwords|passphrase|pass phrase|passwort|kennwort|contrasena|mot de passe|parola d ordine|palavra passe|senha|security word|secret word|
		memorable word|safe word|safeword|code word|codeword|security answer|secret answer|wachtwoord|losenord|haslo`,
	secretPIN: `pin|pin number|pin code|pincode|passcode|pass code|pass codes|pass number|geheimzahl|clave|codigo pin|code pin|code secret|code confidentiel|codice pin`,
	oneTime: `one time code|one time password|one time passcode|one time pin|onetime code|otp|otp code|verification code|authentication code|auth code|login code|
		sign in code|two factor code|2fa code|security pin|bestatigungscode|codigo de verificacion|code de verification|codigo de verificacao|codice di verifica`,
	other: `order|booking|reservation|confirmation|reference|ref|tracking|shipment|parcel|package|invoice|receipt|account|accounts|acct|iban|bic|swift|routing|sort code|
		phone|telephone|mobile|cell|cellphone|fax|call|text|ring|flight|ticket|case|claim|policy|member|membership|customer|client|patient|serial|vin|imei|isbn|ean|upc|sku|
		barcode|part|model|item|product|po|zip|zip code|zipcode|postcode|post code|postal code|license|licence|passport|plate|prescription|rx|meter|loan|contract|
		transaction|promo code|coupon|voucher|extension|ext|pnr|locator|npi|medicare|medicaid|mrn|student|employee|badge|file|docket|job|quote|estimate|lot|batch|
		group|subscriber|whatsapp|id|address|street|price|amount|total|balance|birthday|date of birth|dob|birth date|born|appointment|room|gate|confirmation code|
		gift card|gift cards|loyalty card|reward card|rewards card|membership card|member card|library card|insurance card|sim card|id card|business card|green card|
		medicare card|health card|report card|score card|greeting card|birthday card|graphics card|video card|sd card|memory card|key card|bus card|gift voucher|club card|
		bestellung|bestellnummer|kundennummer|buchungsnummer|buchung|rechnung|rechnungsnummer|sendungsnummer|telefonnummer|handynummer|telefon|handy|konto|kontonummer|
		vertragsnummer|auftragsnummer|postleitzahl|plz|pedido|reserva|telefono|movil|celular|cuenta|factura|referencia|seguimiento|cliente|codigo postal|
		commande|portable|compte|facture|suivi|dossier|code postal|telefone|conta|fatura|rastreamento|rastreio|protocolo|cep|ordine|prenotazione|
		cellulare|conto|fattura|spedizione|pratica|riferimento`,
	lastFour: `last four|last 4|final four|ending in|ends in|ends with|ending with|last digits|letzten vier|letzten 4|ultimos cuatro|ultimos 4|quatre derniers|4 derniers|
		ultimos quatro|ultime quattro|ultime 4`,
	noClass: `password reset|reset password|reset my password|password manager|password managers|password protected|password policy|password protection|social media|
		pin board|bobby pin|pin cushion|rolling pin|safety pin|credit score|credit report|credit history|credit union|code of conduct|visa application|travel visa|
		student visa|work visa|tourist visa|carte blanche|debit note|a la carte|social worker|social life|credit limit|pin it|pin them|pin down`,
})

func compile(byClass map[class]string) map[string][]phrase {
	out := map[string][]phrase{}
	for _, c := range slices.Sorted(maps.Keys(byClass)) {
		for _, alt := range strings.Split(byClass[c], "|") {
			words := strings.Fields(alt)
			out[words[0]] = append(out[words[0]], phrase{words, c})
		}
	}
	for _, list := range out {
		slices.SortStableFunc(list, func(a, b phrase) int { return len(b.words) - len(a.words) })
	}
	return out
}

type phrase struct {
	words []string
	class class
}

// labels finds the phrases of a text that name numbers and secrets, each word in one of them at most.
func labels(toks []token) []label {
	var out []label
	for i := 0; i < len(toks); i++ {
		if toks[i].kind == punct || toks[i].kind == mark {
			continue
		}
		for _, p := range phrases[toks[i].s] {
			if n := saidAny(toks, i, p.words); n > 0 {
				out = append(out, label{i, i + n - 1, p.class})
				i += n - 1
				break
			}
		}
	}
	return out
}

// saidAny is said, where a phrase may hold written digits too ("last 4").
func saidAny(toks []token, i int, words []string) int {
	j := i
	for k, w := range words {
		if k > 0 && j < len(toks) && (toks[j].s == "-" || toks[j].s == "_") {
			j++
		}
		if j >= len(toks) || strings.TrimPrefix(toks[j].s, "'") != w {
			return 0
		}
		j++
	}
	return j - i
}

// links are the words that tie a label to what it names: "the number is", "it's", "ends with".
var links = speech.Set(`is 's are was its it that 'm 're be would number no num nr digits code the my your full thats here this there and so then ok okay sure yes yeah
	uh um er erm ist lautet es ar jest nummer numero e est son c 'est sono di mi mia mio meu minha ma mon le la el o il to as also still just ahm`)

// verbs are those links that say what something is. A sign (":" or "=") is as good.
var verbs = speech.Set(`is 's are was 're be it ar jest es ist lautet e est 'est sera to as`)

// maxLinks is how many words may stand between a label and what it names.
const maxLinks = 7

// linked skips from token i what ties a label to its value. tied tells whether there was a verb or a sign.
func linked(toks []token, i int) (at int, tied bool) {
	for n := 0; i < len(toks) && n < maxLinks; n, i = n+1, i+1 {
		t := toks[i]
		switch {
		case t.lines > 1:
			return i, tied
		case t.kind == punct && strings.Contains(":=", t.s):
			tied = true
		case t.kind == punct && strings.Contains(",-#\"“”'‘’(?.*`«»<>", t.s):
		case t.kind == word && links[t.s]:
			tied = tied || verbs[t.s]
		default:
			return i, tied
		}
	}
	return i, tied
}

// linkedFar is linked for secrets, which may be said to be whose or what for: "the PIN for my card is", "the code they
// sent me is", "my PIN, which you've got on file, is". Without such words it is linked.
func linkedFar(toks []token, i int) (at int, tied bool) {
	j := i
	for j < len(toks) && toks[j].s == "," {
		j++
	}
	if j >= len(toks) || !purposes[toks[j].s] {
		return linked(toks, i)
	}
	for j++; j < min(len(toks), i+maxClause+1) && (toks[j].kind != punct || toks[j].s == ",") && !clauses[toks[j].s] &&
		!endsSentence(toks, j); j++ {
		if verbs[toks[j].s] && toks[j].s != "to" && toks[j].s != "as" && toks[j].s != "it" {
			if at, tied = linked(toks, j); at == len(toks) || !purposes[toks[at].s] { // else "that's on file"
				return at, tied
			}
		}
	}
	return linked(toks, i)
}

const maxClause = 11 // words that say whose a secret is

// purposes begin what a secret is for, or how somebody came by it, in a clause of its own or without.
var purposes = speech.Set(`for to on of with in at they you i we he she fur de para pour per
	that which who whom die der das welche ich wir sie ihr que qui`)

// endsSentence reports whether a sentence ends before token i.
func endsSentence(toks []token, i int) bool {
	if i == 0 || toks[i].lines > 0 {
		return true
	}
	return toks[i].spaced && toks[i-1].kind == punct && strings.Contains(".!?;", toks[i-1].s)
}
