package wrapup

import (
	"strings"
	"testing"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/recall/token"
)

func TestTheLanguageOfATextIsTold(t *testing.T) {
	tests := []struct {
		text string
		want token.Language
	}{
		{"The caller wants to book a table for four on Tuesday, and he will call back when he knows the time.", token.English},
		{"La persona que llama quiere reservar una mesa para el martes, pero no sabe la hora.", token.Spanish},
		{"A pessoa que ligou quer reservar uma mesa para terça-feira, mas não sabe a hora e foi embora.", token.Portuguese},
		{"La personne qui appelle veut réserver une table pour mardi, mais elle ne sait pas à quelle heure.", token.French},
		{"La persona che chiama vuole prenotare un tavolo per martedì, ma non sa a che ora della sera.", token.Italian},
		{"Der Anrufer möchte einen Tisch für Dienstag reservieren, aber er weiß die Uhrzeit noch nicht.", token.German},
		{"De beller wil een tafel voor dinsdag reserveren, maar hij weet niet hoe laat het is.", token.Dutch},
		{"Звонящий хочет заказать столик на вторник", token.Russian},
		{"お客様は火曜日にテーブルを予約したいと考えています", token.Japanese},
		{"来电者想预订星期二的桌子，但不知道时间", token.Chinese},
		{"전화한 사람은 화요일에 테이블을 예약하고 싶어합니다", token.Korean},
		{"يريد المتصل حجز طاولة ليوم الثلاثاء", token.Arabic},
		{"Kunden vil gerne bestille et bord til tirsdag, men han ved ikke hvornår på dagen.", token.Norwegian},
		{"Kunden vil gjerne bestille et bord til tirsdag, men han vet ikke når på dagen.", token.Norwegian},
		{"Müşteri salı günü için bir masa ayırtmak istiyor ama saat kaçta geleceğini bilmiyor.", token.Turkish},
		{"Klient chce zarezerwować stolik na wtorek, ale nie wie jeszcze, o której godzinie.", token.Unknown},
		{"Yes.", token.Unknown},
		{"", token.Unknown},
		{"Plumber Friday sink kitchen leak tap Oak Lane twelve", token.Unknown},
	}
	for _, tt := range tests {
		if got := language(tt.text); got != tt.want {
			t.Errorf("%q: got %q, want %q", tt.text, got, tt.want)
		}
	}
}

func TestASummaryMayBeInAnyLanguageOfItsConversation(t *testing.T) {
	const (
		english = "The caller wants to book a table for four on Tuesday, and he will call back when he knows the time."
		spanish = "La persona que llama quiere reservar una mesa para el martes, pero no sabe la hora."
	)
	tests := []struct {
		name                   string
		caller, agent, summary string
		foreign                bool
	}{
		{"the caller's", spanish, english, spanish, false},
		{"neither's", spanish, spanish, english, true},
		{"another script than the caller's", english, english, "お客様は火曜日にテーブルを予約したいと考えています", true},
		{"in a script of which no language is told", english, english, "ফোনকারী মঙ্গলবারের জন্য একটি টেবিল বুক করতে চান", true},
		{"that script is the agent's too", english, strings.Repeat("ফোনকারী মঙ্গলবারের জন্য একটি টেবিল বুক করতে চান ", 5), "ফোনকারী মঙ্গলবারের জন্য একটি টেবিল বুক করতে চান", false},
		{"the agent's, who says more", spanish, strings.Repeat(english+" ", 5), english, false},
		{"too short to tell", spanish, spanish, "OK.", false},
		{"of a caller who said too little to tell", "Ja.", "", english, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			turns := []recaller.Turn{{Speaker: recaller.User, Text: tt.caller}, {Speaker: recaller.Assistant, Text: tt.agent}}
			if got := foreign(recaller.Summary{Brief: tt.summary}, turns) != nil; got != tt.foreign {
				t.Errorf("got foreign %v, want %v", got, tt.foreign)
			}
		})
	}
}
