package likeness_test

import (
	"testing"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/memory/likeness"
)

// Pairs as a model makes them of one thing told twice, and of two things that look alike. 25 of 26 held when they were
// first run.
func TestPairsThatAModelMakes(t *testing.T) {
	t.Parallel()
	pairs := []struct {
		oldKey, oldValue, key, value string
		one                          bool
	}{
		{"dog_name", "Max", "pet", "a dog called Max", true},
		{"dog", "Bella", "pet", "dog named Bella", true},
		{"dog_name", "Max", "has_dog", "a dog called Max", true},
		{"cat_name", "Mimi", "has_cat", "a cat called Mimi", true},
		{"pet_name", "Max", "dog_name", "Max", true},
		{"pet", "Mimi", "cat", "Mimi", true},
		{"daughter_name", "Max", "dog_name", "Max", false},
		{"son_name", "Luna", "cat_name", "Luna", false},
		{"dog_name", "Max", "pet", "a cat called Max", false},
		{"rabbit", "Snowy", "pet", "a dog called Snowy", false},
		{"dog_name", "Max", "second_dog", "Rex", false},
		{"cat_name", "Mimi", "other_cat", "Tom", false},
		{"phone", "020 7946 0018", "mobile", "+020 79460018", true},
		{"phone_number", "555-0143-22", "callback_number", "555 0143 22", true},
		{"phone", "020 7946 0018", "mobile", "020 7946 0019", false},
		{"phone", "415 555 0100", "cell_phone", "415 555 0101", false},
		{"phone", "020 7946 0018", "daughter_phone", "020 7946 0018", false},
		{"mobile", "415 555 0100", "work_phone", "415 555 0100", false},
		{"allergy", "penicillin", "allergies", "penicillin and latex", true},
		{"allergies", "latex", "allergy", "latex", true},
		{"allergy", "penicillin", "allergies", "latex", false},
		{"allergy", "penicillin", "allergies", "no penicillin allergy", false},
		{"mother", "Rosa", "sister", "Rosa", false},
		{"husband", "Tom", "son", "Tom", false},
		{"alergia", "penicilina", "Alergia", "penicilina", false}, // one key: the newer supersedes, nothing is merged
		{"Straße", "Hauptstraße 5", "straße_", "Hauptstraße 5", true},
	}
	missed, wrong := 0, 0
	for i, p := range pairs {
		old, m := told(recaller.Fact, p.oldKey, p.oldValue), told(recaller.Fact, p.key, p.value)
		m.ID = "new"
		_, _, one := likeness.Duplicate([]recaller.Memory{old}, m)
		if one == p.one {
			continue
		}
		if p.one {
			missed++
		} else {
			wrong++
		}
		t.Errorf("pair %d: %s=%s and %s=%s: one thing: %v, want %v", i, p.oldKey, p.oldValue, p.key, p.value, one, p.one)
	}
	t.Logf("%d pairs: %d missed, %d merged wrongly", len(pairs), missed, wrong)
}

func TestWordsNameAMemoryOrNone(t *testing.T) {
	t.Parallel()
	known := []recaller.Memory{
		told(recaller.Fact, "dog_name", "Max"), told(recaller.Fact, "dog_breed", "a collie"), told(recaller.Fact, "debt", "owes his brother two thousand"),
		told(recaller.Fact, "daughter_phone", "020 7946 0018"), told(recaller.Fact, "allergies", "penicillin"), told(recaller.Preference, "walks", "walks by the river"),
		told(recaller.Fact, "reserva_mesa", "mesa junto a la ventana"),
	}
	for words, want := range map[string]string{
		"dog":                              "?", // two have it
		"the breed of the dog":             "dog_breed",
		"what I told you about my brother": "debt",
		"that debt thing":                  "debt",
		"the money":                        "",  // said in other words
		"phone":                            "?", // the only one is his daughter's
		"my daughter's phone":              "daughter_phone",
		"that I am allergic to penicillin": "allergies",
		"the walk":                         "walks",
		"name":                             "", // the dog's is not the caller's
		"la mesa":                          "reserva_mesa",
		"everything":                       "",
		"":                                 "",
	} {
		fits := likeness.MeantBy(known, words)
		got, ok := likeness.Clear(fits)
		told := got.Key
		if !ok && len(fits) > 0 {
			told = "?"
		}
		if told != want {
			t.Errorf("%q: got %q, want %q", words, told, want)
		}
	}
}
