package guard

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// Texts of the words that mean something here, in any order, are what a fuzzer takes long to come upon.
func TestMaskingWhatIsMaskedChangesNothing(t *testing.T) {
	vocabulary := strings.Split(`my,card,number,is,4111,1111,1111,1111,one,oh,double,forty,eleven,123,45,6789,12,/,27,-,.,:,password,pin,hunter2,bluebird,social,security,`+
		`code,expires,december,and,uh,not,the,order,phone,last,four,digits,AB,C,12345678Z,[password],[card number],[national id],5,a,i,it,'s,is my,+,$,",um,tres,cinco,`+
		`4111111111111111,to,for,was,CVV,DNI,otp,[card number ending in 1111],?,!,verification,this`, ",")
	questions := []string{"", "card number?", "what's your password?", "your social?", "security code?", "expiry date?", "card number and phone number?", "your PIN?", "[card number]"}
	random := rand.New(rand.NewPCG(1, 2))
	hits := 0
	for range 6000 {
		words := make([]string, 1+random.IntN(30))
		for i := range words {
			words[i] = vocabulary[random.IntN(len(vocabulary))]
		}
		text, asked := strings.Join(words, []string{" ", " ", " ", ""}[random.IntN(4)]), questions[random.IntN(len(questions))]
		got, found := Mask(text, asked)
		hits += len(found)
		if again, more := Mask(got, asked); again != got || len(more) > 0 {
			t.Fatalf("%q, asked %q:\n      got %q\nand again %q", text, asked, got, again)
		}
	}
	if hits < 3000 {
		t.Errorf("only %d secrets in all of them: the words are the wrong ones", hits)
	}
}
