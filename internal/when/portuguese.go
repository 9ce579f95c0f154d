package when

import (
	"strings"

	"github.com/recallerhq/recaller/internal/speech"
)

// The words of days, dates and hours, by those of English.
const portugueseWords = `monday: segunda
	tuesday: terça
	wednesday: quarta
	thursday: quinta
	friday: sexta
	saturday: sábado sabado
	sunday: domingo
	january: janeiro
	february: fevereiro
	march: março
	april: abril
	may: maio
	june: junho
	july: julho
	august: agosto
	september: setembro
	october: outubro
	november: novembro
	december: dezembro
	today: hoje
	tomorrow: amanhã
	yesterday: ontem
	ereyesterday: anteontem
	morning: manhã
	afternoon: tarde
	evening: noite
	noon: meio-dia
	next: próxima próximo
	this: esta este
	on: na no em
	in: da
	at: às à
	since: desde
	until: até
	and: e
	the: o a dia
	of: de
	half: meia
	week: semana
	weeks: semanas`

func newPortuguese() *tongue {
	t := &tongue{
		words: pairs(portugueseWords),
		small: speech.Set(`não sim obrigado obrigada você eu um uma os as do dos ao com para por que mas muito já está senhor senhora
			bom boa fica pode meu minha é e da na`),
		behind: speech.Set(`fui foi estive esteve vim veio tive teve fiz fez disse disseram chegou caiu entreguei`),
		torn:   speech.Set(`era eram ia iam seria devia queria havia`),
		ahead: speech.Set(`quero quer preciso precisa posso pode podemos tenho tem temos há é vou vai vamos vem venho fica levo chega abre
			gostava gostaria telefono ligo telefonem`),
		helpers: map[string]bool{},
	}
	for i, w := range strings.Fields(`duas três quatro cinco seis sete oito nove dez onze doze treze catorze quinze dezasseis dezassete dezoito
		dezanove vinte`) {
		t.words[w] = digits(i + 2)
	}
	t.words["dois"], t.words["trinta"], t.words["uma"] = "2", "30", "1"
	return t
}

// joined puts the numbers of Portuguese that are said in two parts together: "vinte e cinco".
func (p *parser) joined() {
	if p.lang != portuguese {
		return
	}
	tok, said := p.tok[:0], p.said[:0]
	for i := 0; i < len(p.tok); i++ {
		t := p.tok[i]
		if (t.val == 20 || t.val == 30) && p.is(i+1, "and") && i+2 < len(p.tok) && p.tok[i+2].kind == number && p.tok[i+2].val < 10 {
			t.val, t.end = t.val+p.tok[i+2].val, p.tok[i+2].end
			t.w = digits(t.val)
			tok, said, i = append(tok, t), append(said, p.said[i]), i+2
			continue
		}
		tok, said = append(tok, t), append(said, p.said[i])
	}
	p.tok, p.said = tok, said
}
