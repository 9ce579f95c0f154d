package summary_test

import (
	"strings"
	"testing"

	"github.com/recallerhq/recaller/internal/wrapup/summary"
)

// promises are told among the action items, whoever makes them, of whatever trade.
const promises = `
	a: I'll ask the garage about a loan car and send you what they say.
	a: I'm going to get one of our fitters to ring you about the worktop.
	a: I'll do a repeat prescription for you now and send it over to your pharmacy.
	a: What I think we'll do is we'll arrange for the surveyor to come back.
	a: We'll courier the replacement blade to your workshop.
	a: Right, leave it with me and I'll chase the supplier for the oak boards.
	a: I'll have Benedikt drop the spare keys through your letterbox.
	a: We will refund the delivery charge to your card.
	a: Somebody from the dispensary will phone you once the eye drops are in.
	a: The head gardener will get back to you about the yew hedge.
	a: I'll sharpen the chisels and hone the plane iron for you.
	a: So what I'll do is I'll email the surveyor's report across to your solicitor.
	a: Okay so um I'll I'll uh I'll get on to the water board about that manhole.
	a: You'll get an email with the itinerary and the boarding passes.
	a: I'll let the night nurse know that he prefers the blue pillow.
	a: We'll re-string the cello and check the sound post while it's here.
	a: I'm gonna pass your complaint about the scaffolding on to the site manager.
	a: Then I'll write to the pension office about the missing year.
	a: I'll look into the double charge and let you know what I find.
	c: I'll send you the photos of the damp patch tonight.
	c: I'll ask my brother-in-law for the boiler manual and text you the serial number.
	c: Okay, I'll drop the signed lease off at your office tomorrow morning.
	c: yeah so i'll measure the alcove when i get home and ring you back
	c: We'll pay the deposit by Friday, my wife's got the card.
	c: I'm going to email you the vaccination booklet this afternoon.
	a: Ich frage in der Werkstatt wegen eines Leihwagens und gebe Ihnen dann Bescheid.
	a: Ich werde die Rechnung an Ihre Hausverwaltung schicken.
	a: Dann schicke ich Ihnen das Formular für die Kur per Post zu.
	a: Der Kollege aus der Buchhaltung meldet sich bei Ihnen wegen der Gutschrift.
	a: Wir besorgen die Ersatzdichtung und rufen Sie an, sobald sie da ist.
	a: Da kümmere ich mich drum und sage dem Hausmeister wegen der Heizung Bescheid.
	c: Ich schicke Ihnen heute Abend die Fotos vom Wasserschaden.
	c: Dann bringe ich den Impfpass morgen mit vorbei.
	c: Ich werde meine Schwester nach dem Schlüssel fragen.
	a: Le pregunto al taller por un coche de sustitución y le aviso.
	a: Voy a mandarle el presupuesto de las ventanas por correo.
	a: Le enviaremos la factura corregida de la reforma.
	a: Mi compañera del almacén la llamará por el sofá.
	a: Me encargo yo de hablar con el administrador de la finca.
	c: Esta noche le mando las fotos de la gotera.
	c: Voy a preguntar a mi hermana por la llave del trastero.
	c: Mañana les llevo el contrato firmado.
	a: We'll get the crane booked and our dispatcher will message you the night before.
	a: I'll speak to Father Aidan about the organ loft and come back to you on Thursday.
	a: Right so I'll stick a note in for the farrier and he'll give you a bell when he's near.
	a: We'll reframe the watercolour and post it to the gallery.
	a: I'll see to it that the kennel staff get his tablets.
	a: I will personally make sure the piano stool goes on the van.
	a: The claims team will be in touch about the windscreen.
	a: I'll dig out the old drawings and scan them for you.
	a: Someone from accounts is going to call you about the overpayment.
	a: We're going to resurface the drive free of charge.
	a: I'll run your idea about the trellis past the committee.
	a: And I'll reserve judgement on that, but I'll send you the minutes of the meeting.
	a: Okay, will do, I'll warn the driver about the low bridge.
	a: I'll stop by the nursery and pick out some hardier lavender for you.
	a: We'll credit the forty pounds to next month's bill.
	c: I'll have a word with my landlord about the meter and let you know.
	c: I'll fill in the allergy form and pop it in the post.
	c: So I'll call the insurance myself about the hail and then get back to you.
	c: I'm gonna ask my daughter to scan the birth certificate.
	c: i'll bring the old filter along so you can see the thread
	c: My husband and I will sign the contract tonight and return it.
	c: I'll transfer the rest of the money on the first.
	a: Ich leite das an die Technik weiter, die melden sich bei Ihnen.
	a: Den Kostenvoranschlag für das Dach maile ich Ihnen morgen.
	a: Wir werden die Markise kostenlos austauschen.
	a: Ich richte der Frau Doktor aus, dass Sie die Tropfen nicht vertragen.
	a: Den Schlüssel hinterlege ich bei der Nachbarin.
	c: Die Unterlagen reiche ich bis Freitag nach.
	c: Ich kläre das mit meinem Vermieter und melde mich dann wieder.
	a: Ahora mismo no está, pero le digo al jefe que le devuelva la llamada.
	a: Hablaré con el proveedor del mármol y le cuento.
	a: Vamos a cambiarle la junta del horno sin coste.
	a: Le guardo la muestra y se la envío por mensajero.
	c: Yo me encargo de medir el hueco de la ventana y se lo paso mañana.
	a: Vou falar com o eletricista e depois ligo-lhe.
	a: Je vais demander au menuisier et je vous rappelle.
	a: Chiedo al magazzino e la richiamo domani.
	a: Ik vraag het na bij de monteur en bel u morgen terug.
`

// none of these is an action item: what is done or said in the call itself, what is offered, or depends on something,
// how things will be, and what others said.
const noPromises = `
	a: I'll remind you.
	a: Okay, I'll note that.
	a: Gut, ich erinnere dich daran.
	a: Te lo recuerdo.
	a: I'll check that for you now in the stock system.
	a: Let me see whether the loan car is free.
	a: I'll just pull up your booking for the marquee.
	a: I'll put you through to the paint department.
	a: I'll need your frame number and the colour of the bike.
	a: I'll be honest with you, the gearbox is finished.
	a: I could ask the garage about a loan car.
	a: I can send you the brochure if you like.
	a: If the part fails again we'll replace the whole pump.
	a: We'll courier it only if you want that, it costs twelve pounds.
	a: Would you like me to email the surveyor's report?
	a: Shall I chase the supplier for the oak boards?
	a: You'll need a ladder and a steady hand for the gutter.
	a: It'll cost about eighty pounds for the hinges.
	a: I'll read the number of the policy back to you.
	a: I'll tell you what, that kitchen was a bargain.
	a: We won't send the bailiffs for a parking ticket.
	a: Maybe we'll send a plumber for the radiator, I can't say.
	a: I'll ask you a couple of questions about the roof.
	a: I'll make a note of the allergy to walnuts.
	c: I'll take the blue one with the brass handle.
	c: I'll have the lamb and my husband wants the sea bass.
	c: I'll think about the extended warranty for the mower.
	c: I'll be sixty-five in March and I still play the organ.
	c: I'll never buy a boat again as long as I live.
	c: He said he'll send the plumber but nobody came for the tap.
	c: If it leaks again I'll call the newspaper.
	c: The mechanic told me I'll send you the bill and he never did.
	c: I would send you the photos but my camera is broken.
	a: Ich schaue kurz im System nach dem Leihwagen.
	a: Ich könnte in der Werkstatt wegen eines Leihwagens fragen.
	a: Ich frage Sie noch nach der Versicherungsnummer.
	a: Wenn die Pumpe wieder ausfällt, schicken wir einen Monteur.
	c: Ich rufe an wegen der Rechnung für die Markise.
	c: Ich werde im März fünfundsechzig und spiele noch Orgel.
	a: Voy a revisar su expediente de la hipoteca.
	a: Si quiere le mando el presupuesto de las ventanas.
	a: Podría preguntar al taller por un coche.
	c: Le llamo por la factura de la reforma.
	c: Voy a pensarlo con mi marido, lo de la caldera.
	a: I'll go through the list of the dishes with you.
	a: I'll spell the name of the street for you.
	a: We'll see how the plaster dries out.
	a: That'll be ready for the regatta.
	a: I'll get your file up, it takes a while with this machine.
	a: I'll hold the line while you find the meter.
	a: I would call the council about that skip.
	a: He might ring you about the chimney.
	a: We could send you a sample of the tweed.
	a: You'll want to keep the dog away from the varnish.
	a: I'll say goodbye to the old terminal myself.
	a: I'll start with the postcode of the allotment.
	a: I'll just take a few details about the caravan.
	a: We don't send bills by post for the marina.
	a: I'll explain how the tariff works for the heat pump.
	c: I'll wait for the post then, the cat is waiting too.
	c: I'll miss the old bakery and its poppy seed rolls.
	c: She'll kill me if the cake isn't ready.
	c: I'll go with the walnut veneer then.
	c: I'll probably sell the boat one day.
	c: I hope you'll send somebody who knows about slate.
	c: I'll get a hernia if I carry that mangle again.
	c: We'll be eleven at the table with the twins.
	c: My neighbour says I'll call the council every time the bins stink.
	c: I'll give you my policy number for the greenhouse.
	a: Ich sehe gerade, die Rechnung für den Teppich ist offen.
	a: Da müssten Sie bei der Stadt nach dem Sperrmüll fragen.
	a: Soll ich Ihnen den Prospekt schicken?
	a: Ich gebe Ihnen die Nummer von der Werkstatt.
	c: Das wird schon werden mit der Hüfte.
	c: Ich bringe meine Kinder jeden Tag mit dem Rad zur Schule.
	c: Ich frage mich, warum die Heizung pfeift.
	a: Vamos a ver qué dice el ordenador de la caldera.
	a: ¿Le envío el catálogo de azulejos?
	a: No le cobraremos la visita del técnico.
	c: Voy a cumplir setenta años y sigo bailando.
	c: Le pregunto porque la lavadora hace ruido.
	c: Preparé la cena y se fue la luz.
`

// promised returns the action items of a short call in which somebody says a sentence.
func promised(line string) []string {
	call := "a: Harbour Office.\nc: Hello, I have a matter with the awning that came loose in the storm.\na: I see, that sounds awkward.\n"
	end := "\na: All right, goodbye."
	if strings.HasPrefix(line, "a: ") {
		call, end = call+"c: It was the wind from the estuary.\n", "\nc: All right, goodbye."
	}
	return summary.Write(read(talk(call+line+end)), summary.Options{}).Actions
}

func TestPromisesAreActionItems(t *testing.T) {
	for line := range strings.Lines(strings.TrimSpace(promises)) {
		if got := promised(strings.TrimSpace(line)); len(got) != 1 {
			t.Errorf("%q: got the action items %q, want it", strings.TrimSpace(line), got)
		}
	}
	for line := range strings.Lines(strings.TrimSpace(noPromises)) {
		if got := promised(strings.TrimSpace(line)); len(got) != 0 {
			t.Errorf("%q: got the action items %q, want none", strings.TrimSpace(line), got)
		}
	}
}

// What is promised is an action item wherever else it stands, with what it takes up and what is said against it, as long
// as it is still to be done.
func TestActionItemsAreWhatIsStillToBeDone(t *testing.T) {
	for _, tt := range []struct{ name, talk, want, not string }{
		{"in the brief as well", `a: Deep Claw. What can I do for you?
			c: We still have to find out whether the garage lends us a car.
			a: I'll ask the garage about a loan car and send you what they say.
			c: Perfect, bye.`, "Agent: “I'll ask the garage about a loan car and send you what they say.”", ""},
		{"in the middle of a ramble", `a: stables
			c: so um the grey one he's off his oats again you know what he's like since my late husband's time and the vet was here tuesday and she left some powder but the tub's split
			a: oh dear right so i'll i'll ring the vet for another tub of the powder
			c: and the farrier wants paying before he'll come near the place again
			a: i know`, "ring the vet for another tub", ""},
		{"with what it takes up", `a: Framing studio.
			c: Could you tell the lad in the workshop that the glass must be the matt kind?
			a: I'll let him know.
			c: Thanks.`, "matt kind?” Agent: “I'll let him know.”", ""},
		{"with what is said against it", `a: Surgery.
			c: My ear drips wax and it whistles.
			a: The audiologist will call you on your landline this afternoon.
			c: Not the landline, ring my mobile, the one ending in four four.`, "Caller: “Not the landline, ring my mobile", ""},
		{"what nobody wants", `a: Surgery.
			c: I only wanted to know when the flu clinic opens.
			a: On the ninth at eight. I'll post you the leaflet about it.
			c: No, don't bother.`, "", "leaflet"},
		{"what is done before the call ends", `a: Bistro Lune.
			c: Does the bouillabaisse have crab in it? My aunt swells up.
			a: I'll ask the chef about the crab.
			c: Thanks.
			a: He says there is none in it.`, "", "ask the chef"},
		{"what came while they spoke", `a: Ticket office.
			c: The link to the tickets for the marionettes never came.
			a: I'll send you the link to the tickets again.
			c: Oh, it just came through.`, "", "send you the link"},
		{"what is done is none", `a: Tailor.
			c: Take the cummerbund off my order, please.
			a: Your order is changed and I have cancelled the cummerbund.
			c: Good.`, "", "cancelled"},
		{"the same said twice is one", `a: Marina.
			c: The bilge pump of the Kittiwake runs day and night.
			a: I'll ask the electrician about the bilge pump.
			c: She lies at berth nine.
			a: So, berth nine. I'll ask the electrician about the bilge pump then.`, "I'll ask the electrician about the bilge pump", "pump.”\nAgent"},
	} {
		turns := talk(tt.talk)
		s := summary.Write(read(turns), summary.Options{})
		found(t, s, turns)
		got := strings.Join(s.Actions, "\n")
		if !strings.Contains(got, tt.want) || tt.not != "" && strings.Contains(got, tt.not) {
			t.Errorf("%s: got the action items %q, want %q in them and not %q", tt.name, got, tt.want, tt.not)
		}
	}
}
