package forgotten_test

import (
	"strings"
	"testing"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/forgotten"
)

// What callers say, and the agent's answer behind a bar: requests to forget what was told, or not to keep it.
var requests = []string{
	"Please forget what I told you about my son.",
	"Could you forget I said that about my boss?|Of course.",
	"can you forget i mentioned the court case",
	"I'd like you to forget what I said earlier.",
	"Would you mind deleting what I told you about the loan?",
	"What I said about my husband panicking, forget I said it.",
	"that thing about the divorce i told you can you delete it",
	"That business with my brother that I told you of, strike it out, please.|It's struck.",
	"Please delete my address from your notes.",
	"could you wipe my number off your system",
	"I want my date of birth deleted.",
	"Can that be taken off my file?",
	"Delete my phone number please.",
	"please remove my email address",
	"I don't want that written down.",
	"don't write that down",
	"And don't put what I said about my mother in your notes.",
	"i'd rather you didn't keep that on file",
	"None of that goes in the notes, please.",
	"That's off the record.",
	"Can you take what I said about the drinking out again?",
	"I take it back, what I said about Dennis. Strike it from the record.",
	"When I first rang I went on about whose name it is. Can you wipe that bit off your system?|I'll strike that.",
	"I told you about my illness last time. Please forget it.|It's forgotten.",
	"forget about the loan would you|that's forgotten",
	"Let's forget what I said about the neighbours.",
	"I asked you to delete my birthday, please delete my birthday.",
	"I need you to erase everything I told you about my ex.",
	"You can forget what I said about the rent.",
	"If you could delete my number, that would be great.",
	"Remove what I told you about the pills.",

	"Bitte vergessen Sie, was ich über meinen Sohn gesagt habe.",
	"Können Sie meine Telefonnummer löschen?",
	"ich möchte dass sie meine adresse löschen",
	"Vergessen Sie das mit der Scheidung.",
	"Das mit dem Zerstrittensein schreiben S' bitte nicht auf.",
	"Schreiben Sie das bitte nicht auf.",
	"Das soll nicht in die Akte.",
	"Vergiss, was ich dir erzählt habe.",
	"Was ich Ihnen von meiner Krankheit erzählt habe, streichen Sie das wieder.",
	"Könnten Sie das bitte aus Ihren Notizen nehmen?",
	"Löschen Sie bitte mein Geburtsdatum.",
	"Ich möchte nicht, dass das notiert wird.",

	"Olvide lo que le dije de mi hijo.",
	"¿Puede borrar mi número de teléfono?",
	"quiero que borre mi dirección por favor",
	"Olvídese de lo que le conté sobre el divorcio.",
	"No lo apunte, por favor.",
	"No quiero que eso quede en mi ficha.",
	"Lo de mi hermano, bórrelo.",
	"¿Podría eliminar mis datos?",
	"Quítelo de mi expediente, lo que le dije.",

	"Oubliez ce que je vous ai dit sur mon fils.",
	"Pouvez-vous effacer mon numéro de téléphone ?",
	"je voudrais que vous supprimiez mon adresse",
	"Oubliez ce que j'ai dit à propos du divorce, s'il vous plaît.",
	"Ne notez pas ça.",
	"N'écrivez pas cela, s'il vous plaît.",
	"Je ne veux pas que ce soit noté dans mon dossier.",
	"Effacez ma date de naissance, merci.",
	"Ce dont je vous ai parlé, la maladie de ma mère, effacez-le.",
	"Pourriez-vous oublier mon adresse ?",
	"Veuillez retirer mon nom de vos fichiers.",
}

// Errands, plans, reminders not to forget, reports and questions: nothing is to be forgotten.
var errands = []string{
	"I told you about the boiler, can you take it out on Monday?|Yes, on Monday.",
	"Strip the wallpaper I told you about and remove it.|Will do.",
	"The strike I told you about is over.|Good.",
	"I told you about the carpet, can you take it out? It's not on here at all.|Take the carpet off the quote?",
	"Please take that out. Never ring my husband.|Me first.",
	"I owe you three pound for the extra tin. Can you wipe that, or shall I post it?|Consider it wiped.",
	"Can you remove the tree I mentioned?|We can.",
	"the stump i told you about take it out please|we will",
	"Take my name off the waiting list, please.|Done.",
	"Please remove the old sink I told you about.|It will be removed.",
	"Did you delete my address?|I did not.",
	"Have you deleted what I told you?|I have.",
	"Was my number deleted?|Yes.",
	"Did you forget what I told you?|No.",
	"Why did you delete my address?|I'm sorry.",
	"Don't you forget my birthday!|I won't.",
	"Don't forget what I told you about the dog.|I won't.",
	"never forget my number again|sorry",
	"You won't forget what I said about the key, will you?|No.",
	"I'll never forget what you said.|Thank you.",
	"I forgot what I told you last time.|It was the tap.",
	"oh i forget what i said|no matter",
	"He wants to forget what he said to me.|I see.",
	"how do i delete my account|In the settings.",
	"I can't forget what I told her.|I'm sorry.",
	"Forget it, I'll take the bus.|All right.",
	"Forget the second coat, it's fine.|All right.",
	"forget tuesday make it thursday|Thursday it is.",
	"Strike that, I meant Wednesday.|Wednesday.",
	"Delete the last item, would you?|It's deleted.",
	"Cancel my appointment and delete it.|It's deleted.",
	"Could you write that down, I'm allergic to nuts.|I have.",
	"I didn't write that down, say it again?|Nine o'clock.",
	"Don't put it in the hall, put it in the shed.|Right.",
	"don't keep the receipt for me|all right",
	"I had my gallbladder removed, I told you.|You did.",
	"My tooth was taken out, what I told you about.|Yes.",
	"I told you about the stain, can you get rid of it before Friday?|We'll try.",
	"You deleted my number last time, here it is again.|Thanks.",
	"Please don't delete my address.|I won't.",
	"I wouldn't forget what I said if I were you.|Noted.",
	"If you forget my number, ask my wife.|I will.",
	"I keep forgetting my number.|Never mind.",
	"Take my son's name, it's Ben.|Ben.",
	"You can take out my stitches on Friday, I told you about them.|Yes.",

	"Haben Sie vergessen, meine Adresse zu notieren?|Nein.",
	"Haben Sie meine Nummer gelöscht?|Nein.",
	"Vergessen Sie nicht, was ich Ihnen gesagt habe.|Nein.",
	"Das Sonntagsabo, das mir vorgemerkt wurde, streichen Sie das.|Ist gestrichen.",
	"Können Sie die Wand streichen, von der ich Ihnen erzählt habe?|Ja, am Montag.",
	"Ich habe vergessen, was ich gesagt habe.|Macht nichts.",
	"Vergiss nicht meinen Geburtstag.|Nein.",
	"Vergessen Sie den Termin, ich komme am Freitag.|Gut.",
	"Schreiben Sie das bitte auf.|Ja.",

	"No olvide lo que le dije.|No.",
	"No se olvide de mi número.|No.",
	"¿Ha borrado mi dirección?|No.",
	"Olvidé lo que le dije.|No importa.",
	"Quite la alfombra de la que le hablé el lunes.|Sí.",
	"Apúntelo, por favor.|Sí.",
	"Se me olvidó mi número.|No importa.",

	"N'oubliez pas ce que je vous ai dit.|Non.",
	"Avez-vous effacé mon numéro ?|Non.",
	"Vous avez oublié mon adresse ?|Non.",
	"J'ai oublié ce que je vous ai dit.|Ce n'est rien.",
	"Enlevez le vieux tapis dont je vous ai parlé.|Oui, lundi.",
	"Notez bien mon adresse.|C'est noté.",
	"Oubliez mardi, plutôt jeudi.|Jeudi.",
	"Il ne faut pas oublier mon anniversaire.|Non.",
}

func TestARequestToForgetIsToldFromAnErrand(t *testing.T) {
	t.Parallel()
	asks := func(text string) bool {
		words, answer, _ := strings.Cut(text, "|")
		turns := []recaller.Turn{said(4, recaller.User, words, 0), said(5, recaller.Assistant, answer, time.Second)}
		return len(forgotten.Requests(turns)) > 0
	}
	for _, text := range requests {
		if !asks(text) {
			t.Errorf("%q: got none, want a request", text)
		}
	}
	for _, text := range errands {
		if asks(text) {
			t.Errorf("%q: got a request, want none", text)
		}
	}
}
