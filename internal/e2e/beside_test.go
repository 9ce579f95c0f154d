package e2e

import (
	"testing"
	"time"

	"github.com/recallerhq/recaller/client"
)

// Who asks in one breath to have something forgotten and wishes something else, by a tool of the agent's or by his words alone, is told
// of with his wish: in the call's words and summary, in what is coming up, in recall and in a search. Of what was forgotten nothing is
// told, nor of the agent's reading it back.
func TestAWishBesideAForgettingIsTold(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(t *testing.T, on backing) {
		s := house(t, on)
		p := phone{t, s.admin}
		for _, call := range []struct {
			what, key, value string
			first, second    []client.TurnInput
			wish, gone       string
		}{
			{
				"by a tool", "address", "12 Elm Street, Leeds",
				[]client.TurnInput{user("I live at 12 Elm Street in Leeds, and my tap drips."), agent("All right, 12 Elm Street.")},
				[]client.TurnInput{user("Forget my old address, and can I book Thursday at ten?"), agent("I've taken out 12 Elm Street. Thursday at ten is booked.")},
				"can I book Thursday at ten", "Elm",
			},
			{
				"by words alone", "", "",
				[]client.TurnInput{user("I live at 12 Elm Street in Leeds, and my tap drips."), agent("All right, 12 Elm Street.")},
				[]client.TurnInput{user("Please forget my old address, and can I book Thursday at ten?"), agent("I've taken out 12 Elm Street. Thursday at ten is booked.")},
				"can I book Thursday at ten", "Elm",
			},
			{
				"in German", "adresse", "Lindenstraße 14, Potsdam",
				[]client.TurnInput{user("Ich wohne in der Lindenstraße 14 in Potsdam, und mein Hahn tropft."), agent("Gut, Lindenstraße 14.")},
				[]client.TurnInput{
					user("Vergessen Sie bitte meine alte Adresse, und kann ich am Donnerstag um zehn kommen?"),
					agent("Lindenstraße 14 ist gelöscht. Am Donnerstag um zehn passt es."),
				},
				"kann ich am Donnerstag", "Lindenstraße",
			},
			{
				"in Spanish", "direccion", "calle Olmo 12",
				[]client.TurnInput{user("Vivo en la calle Olmo 12 y gotea el grifo."), agent("Muy bien, calle Olmo 12.")},
				[]client.TurnInput{
					user("Olvide mi dirección antigua, y ¿puedo reservar el jueves a las diez?"),
					agent("Borrado, calle Olmo 12 ya no está. El jueves a las diez está reservado."),
				},
				"puedo reservar el jueves", "Olmo",
			},
		} {
			first := p.ring(number())
			p.say(first.Conversation.ID, call.first...)
			if call.key != "" {
				bridge{t, s, first}.does("store_memory", map[string]any{"memoryType": "fact", "key": call.key, "value": call.value})
			}
			p.hangUp(first.Conversation.ID)
			p.writtenUp(first.Conversation.ID)

			second := p.ring(first.Caller.Phone)
			conv, who := second.Conversation.ID, second.Caller.ID
			p.say(conv, call.second[0])
			if call.key != "" {
				bridge{t, s, second}.does("forget_memory", map[string]any{"key": call.key})
			}
			p.say(conv, call.second[1])
			p.hangUp(conv)
			p.writtenUp(conv)

			rec := p.read(conv)
			agreed, err := p.c.CallerAgreements(t.Context(), who, time.Time{})
			if err != nil {
				t.Fatal(err)
			}
			told := ""
			for reader, text := range map[string]string{
				"the words": shown(rec.Turns), "the summary": shown(rec.Conversation.Summary), "the briefing": p.briefing(who),
				"what is agreed": shown(agreed), "recall": shown(p.recall(who, call.wish)), "a search": shown(p.search(call.wish)),
			} {
				holds(t, call.what+": "+reader, text, call.wish)
				told += text
			}
			told += shown(p.read(first.Conversation.ID)) + shown(p.memories(who)) + shown(p.recall(who, call.gone)) + shown(p.search(call.gone))
			holds(t, call.what+": all readers", told, "!"+call.gone)
		}
	})
}
