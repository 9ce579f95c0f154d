package likeness_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/recallerhq/recaller"
	"github.com/recallerhq/recaller/internal/memory/likeness"
)

// told is a memory of the type, as tables write it.
func told(kind recaller.MemoryType, key, value string) recaller.Memory {
	return recaller.Memory{
		ID: recaller.MemoryID("m-" + key), Type: kind, Key: key, Value: value, PrivacyScope: recaller.LineOnly, Status: recaller.MemoryActive,
	}
}

func TestWhatWasToldUnderAnotherKeyIsOneMemory(t *testing.T) {
	t.Parallel()
	tests := []struct{ oldKey, oldValue, key, value, want string }{
		{"dog_name", "Max", "pet_dog", "dog called Max", "Max"},
		{"pet_dog", "dog called Max", "dog_name", "Max", "dog called Max"},
		{"dog_name", "Max", "dog", "golden retriever called Max", "golden retriever called Max"},
		{"favorite_hobby", "gardening", "hobbies", "gardening", "gardening"},
		{"favorite_hobby", "gardening", "hobbies", "gardening, jazz music", "gardening, jazz music"},
		{"hobbies", "gardening, jazz music", "favorite_hobby", "gardening", "gardening, jazz music"},
		{"hobbies", "jazz music and gardening", "hobby", "gardening, jazz music", "jazz music and gardening"},
		{"interests", "gardening", "hobbies", "Gardening", "gardening"},
		{"preferred_name", "Johnny", "name", "Johnny", "Johnny"},
		{"name", "John Smith", "full_name", "John Smith", "John Smith"},
		{"user_name", "John", "name", "john", "John"},
		{"favourite_colour", "grey", "favorite_color", "gray", "grey"},
		{"neighbour", "Mrs Bell", "neighbor_name", "Mrs Bell", "Mrs Bell"},
		{"favorite_color", "blue", "color", "blue", "blue"},
		{"allergy", "peanuts", "allergies", "peanuts", "peanuts"},
		{"allergy", "peanut", "allergies", "peanuts", "peanut"},
		{"occupation", "teacher", "job", "a teacher", "teacher"},
		{"job", "teacher", "profession", "primary school teacher", "primary school teacher"},
		{"mother", "Ann", "mom_name", "Ann", "Ann"},
		{"mum", "Ann", "mother", "Ann", "Ann"},
		{"date_of_birth", "3 May 1950", "birthday", "3 May 1950", "3 May 1950"},
		{"dob", "3 May 1950", "birth_date", "3 May 1950", "3 May 1950"},
		{"email", "ann@example.com", "email_address", "ann@example.com", "ann@example.com"},
		{"phone_number", "555 0143", "phone", "555 0143", "555 0143"},
		{"cell_phone", "555 0143", "mobile_number", "555 0143", "555 0143"},
		{"child", "Sarah", "children", "Sarah", "Sarah"},
		{"kids", "two", "children", "two", "two"},
		{"daughter_name", "Sarah", "daughter", "Sarah", "Sarah"},
		{"daughter", "Sarah", "daughters", "Sarah", "Sarah"},
		{"current_medication", "insulin", "medications", "insulin", "insulin"},
		{"medication", "insulin", "medicines", "insulin", "insulin"},
		{"living_situation_details", "lives alone", "living_situation", "live alone", "lives alone"},
		{"pet_cat", "has a cat", "cat", "has a cat", "has a cat"},
		{"likes_puzzle", "yes", "likes_puzzles", "Yes", "yes"},
		{"favorite_dishes", "lasagne and pierogi", "favorite_dish", "pierogi, lasagne", "lasagne and pierogi"},
		{"petName", "Max", "pet_name", "max", "Max"},
		{"customer_info_company", "Acme Ltd", "company", "Acme Ltd.", "Acme Ltd"},
		{"organisation", "Red Cross", "organization", "the Red Cross", "Red Cross"},
		{"favorite_film", "Casablanca", "favorite_movie", "Casablanca", "Casablanca"},
	}
	for _, tt := range tests {
		old := told(recaller.Fact, tt.oldKey, tt.oldValue)
		of, value, found := likeness.Duplicate([]recaller.Memory{told(recaller.Fact, "x", tt.value), old}, told(recaller.Fact, tt.key, tt.value))
		if !found || of != old.ID || value != tt.want {
			t.Errorf("%s: %s and %s: %s: got %q, %q, %v; want them to be one: %q", tt.oldKey, tt.oldValue, tt.key, tt.value, of, value, found, tt.want)
		}
	}
}

func TestInDoubtTwoMemoriesStayTwo(t *testing.T) {
	t.Parallel()
	tests := []struct{ oldKey, oldValue, key, value string }{
		{"daughter_sarah", "visits on Sundays", "daughter_emma", "visits on Sundays"},
		{"daughter", "Sarah", "daughter", "Emma"},
		{"daughter", "Sarah", "daughters", "Emma"},
		{"daughter", "Sarah", "daughter_name", "Emma"},
		{"daughter", "Sarah", "daughters", "Sarah and Emma"},
		{"daughters", "Sarah and Emma", "daughter", "Sarah"},
		{"daughter_1", "Sarah", "daughter_2", "Sarah"},
		{"daughter", "Sarah", "granddaughter", "Sarah"},
		{"daughter", "Sarah", "son", "Sarah"},
		{"wife", "Ann", "ex_wife", "Ann"},
		{"husband", "Alex", "wife", "Alex"},
		{"sister", "Ann", "sister_in_law", "Ann"},
		{"mother", "Ann", "grandmother", "Ann"},
		{"mothers_doctor", "Patel", "doctor", "Patel"},
		{"mother_doctor", "Patel", "doctor_mother", "Patel"},
		{"likes_tea", "yes", "dislikes_tea", "yes"},
		{"likes_tea", "yes", "like_tea", "no"},
		{"likes_tea", "likes tea", "likes_teas", "does not like tea"},
		{"drink", "tea", "favorite_drink", "no tea"},
		{"drink", "coffee", "drinks", "coffee without milk"},
		{"food", "fish", "foods", "hates fish"},
		{"smoker", "no", "smokers", "yes"},
		{"allergy", "none", "allergies", "peanuts"},
		{"allergies", "peanuts, shellfish", "food_allergies", "peanuts"},
		{"child", "two", "children", "three"},
		{"children", "2", "kids", "3"},
		{"age", "71", "ages", "17"},
		{"phone", "555 0143", "phone_number", "555 0199"},
		{"home_phone", "555 0143", "work_phone", "555 0143"},
		{"email", "a-b@example.com", "email_address", "a_b@example.com"},
		{"budget", "$500", "budgets", "£500"},
		{"price_limit", "3.50", "price_limits", "3:50"},
		{"name", "John", "preferred_name", "Johnny"},
		{"name", "John Smith", "preferred_name", "John"},
		{"name", "John Smith", "first_name", "John"},
		{"last_name", "Smith", "name", "Smith"},
		{"maiden_name", "Smith", "last_name", "Smith"},
		{"name", "Max", "dog_name", "Max"},
		{"dog", "Boxer", "dog_breed", "Boxer"},
		{"dog_name", "Max", "cat_name", "Max"},
		{"dog_name", "Max", "dog", "Max and Bella"},
		{"pet", "Max", "pet_dog", "Bella"},
		{"job", "teacher", "occupation", "retired teacher"},
		{"job", "teacher", "profession", "used to be a teacher"},
		{"job", "assistant manager", "occupation", "manager"},
		{"job", "manager", "occupation", "assistant manager"},
		{"job", "gardener", "occupation", "gardening"},
		{"employer", "Acme", "job", "Acme"},
		{"residence", "lives in Leeds", "lives_in", "lived in Leeds"},
		{"city", "Leeds", "hometown", "Leeds"},
		{"city", "Leeds", "cities", "York"},
		{"flight", "to Boston", "flights", "from Boston"},
		{"meeting", "before lunch", "meetings", "after lunch"},
		{"favorite_color", "blue", "least_favorite_color", "blue"},
		{"favorite_music", "rock and roll", "music", "rock"},
		{"car_color", "blue", "favorite_color", "blue"},
		{"hobby", "fish", "hobbies", "fishing"},
		{"school", "university", "schools", "universe"},
		{"tooth", "had a filling", "teeth", "had a filing"},
		{"hobby", "gardening", "hobbies", "husband likes gardening"},
		{"hobby", "gardening", "hobbies", "wants to stop gardening"},
		{"hobby", "chess", "hobbies", "gardening"},
		{"couple", "John loves Mary", "couples", "Mary loves John"},
		{"friend", "Robert", "friends", "Roberts"},
		{"visits", "on Monday", "visit", "on Tuesday"},
		{"address", "12 High Street", "email_address", "12 High Street"},
		{"", "something", "", "something"},
		{"???", "something", "!!!", "something"},
		{"お名前", "田中", "名前", "田中"},
	}
	for _, tt := range tests {
		old, m := told(recaller.Fact, tt.oldKey, tt.oldValue), told(recaller.Fact, tt.key, tt.value)
		m.ID = "new"
		if of, value, found := likeness.Duplicate([]recaller.Memory{old}, m); found {
			t.Errorf("%s: %s and %s: %s: got one memory (%s: %q), want two", tt.oldKey, tt.oldValue, tt.key, tt.value, of, value)
		}
	}
}

func TestLabelsKeepMemoriesApart(t *testing.T) {
	t.Parallel()
	monday, tuesday := time.Date(2026, 11, 23, 0, 0, 0, 0, time.UTC), time.Date(2026, 11, 24, 0, 0, 0, 0, time.UTC)
	tests := []struct {
		name   string
		change func(old, m *recaller.Memory)
		want   bool
	}{
		{"nothing told apart", func(_, _ *recaller.Memory) {}, true},
		{"a preference", func(_, m *recaller.Memory) { m.Type = recaller.Preference }, true},
		{"the past", func(_, m *recaller.Memory) { m.Type = recaller.History }, false},
		{"two of the past", func(old, m *recaller.Memory) { old.Type, m.Type = recaller.History, recaller.History }, true},
		{"what is to come", func(_, m *recaller.Memory) { m.Type = recaller.FollowUp }, false},
		{"how they felt", func(old, _ *recaller.Memory) { old.Type = recaller.Wellbeing }, false},
		{"who may see it", func(old, _ *recaller.Memory) { old.PrivacyScope = recaller.Shared }, false},
		{"a dispute", func(old, _ *recaller.Memory) { old.Dispute = &recaller.Dispute{Value: "chess"} }, false},
		{"one due", func(old, _ *recaller.Memory) { old.DueAt = &monday }, false},
		{"due on other days", func(old, m *recaller.Memory) { old.DueAt, m.DueAt = &monday, &tuesday }, false},
		{"due on one day", func(old, m *recaller.Memory) {
			again := monday
			old.DueAt, m.DueAt = &monday, &again
		}, true},
		{"due then, and some time that day", func(old, m *recaller.Memory) { old.DueAt, m.DueAt, m.DueDay = &monday, &monday, true }, false},
		{"itself", func(old, m *recaller.Memory) { m.ID = old.ID }, false},
	}
	for _, tt := range tests {
		old, m := told(recaller.Fact, "hobby", "gardening"), told(recaller.Fact, "hobbies", "gardening")
		tt.change(&old, &m)
		if _, _, got := likeness.Duplicate([]recaller.Memory{old}, m); got != tt.want {
			t.Errorf("%s: got one memory: %v, want %v", tt.name, got, tt.want)
		}
	}
	old, m := told(recaller.Fact, "hobby", "gardening"), told(recaller.Preference, "hobbies", "gardening, chess")
	if _, _, found := likeness.Duplicate([]recaller.Memory{old}, m); found {
		t.Error("a preference that says more than a fact: got one memory, want two")
	}
}

func TestWhatSaysTheSameGoesBeforeWhatSaysLess(t *testing.T) {
	t.Parallel()
	existing := []recaller.Memory{told(recaller.Fact, "hobby", "gardening"), told(recaller.Fact, "interests", "gardening, chess")}
	of, value, found := likeness.Duplicate(existing, told(recaller.Fact, "hobbies", "chess, gardening"))
	if !found || of != "m-interests" || value != "gardening, chess" {
		t.Errorf("got %q, %q, %v; want the interests", of, value, found)
	}
}

func TestKeyIsTheSameInEverySpelling(t *testing.T) {
	t.Parallel()
	tests := []struct{ key, want string }{
		{"pet_name", "pet_name"},
		{" Pet  name ", "pet_name"},
		{"petName", "pet_name"},
		{"pet-name:", "pet_name"},
		{"PET_NAME", "pet_name"},
		{"_pet_", "pet"},
		{"daughter2", "daughter2"},
		{"Prénom", "prénom"},
		{"名前", "名前"},
		{"!?", ""},
		{"", ""},
	}
	for _, tt := range tests {
		if got := likeness.NormalKey(tt.key); got != tt.want {
			t.Errorf("%q: got %q, want %q", tt.key, got, tt.want)
		}
	}
}

func TestMemoryIsFoundByKeyAliasOrWords(t *testing.T) {
	t.Parallel()
	dog, hobby, chess := told(recaller.Fact, "dog_name", "Max"), told(recaller.Fact, "favorite_hobby", "gardening"), told(recaller.Fact, "hobby", "chess")
	dog.Aliases = []string{"pet_dog", "Guard"}
	known := []recaller.Memory{dog, hobby, chess}
	tests := []struct {
		key        string
		same, near recaller.MemoryID
	}{
		{"dogName", dog.ID, dog.ID},
		{"GUARD", dog.ID, dog.ID},
		{"dog", "", dog.ID},
		{"guards", "", dog.ID},
		{"hobbies", "", chess.ID}, // its key says that and nothing else
		{"interest in chess", "", chess.ID},
		{"cat_name", "", ""},
		{"", "", ""},
	}
	for _, tt := range tests {
		same, _ := likeness.Same(known, tt.key)
		clear, _ := likeness.Clear(likeness.MeantBy(known, tt.key))
		near := clear.ID
		if same != tt.same || near != tt.near {
			t.Errorf("%q: got the same %q, near %q; want %q, %q", tt.key, same, near, tt.same, tt.near)
		}
	}
}

func FuzzDuplicate(f *testing.F) {
	f.Add("dog_name", "Max", "pet_dog", "dog called Max")
	f.Add("hobbies", "a, b;c\n and d", "hobby", "B & \xff, $1.50")
	f.Add("", "", "名前", "田中")
	f.Fuzz(func(t *testing.T, oldKey, oldValue, key, value string) {
		old, m := told(recaller.Fact, oldKey, oldValue), told(recaller.Fact, key, value)
		m.ID = "new"
		of, together, found := likeness.Duplicate([]recaller.Memory{old}, m)
		if found && (of != old.ID || together != oldValue && together != value) {
			t.Errorf("got %q of %q, want one of the two values", together, of)
		}
		if normal := likeness.NormalKey(key); likeness.NormalKey(normal) != normal {
			t.Errorf("%q: %q is not the end of it", key, normal)
		}
	})
}

func BenchmarkDuplicateAmong2000(b *testing.B) {
	var known []recaller.Memory
	for i := range 2000 {
		known = append(known, told(recaller.Fact, fmt.Sprintf("favorite_thing_%d", i), "something that they like very much"))
	}
	m := told(recaller.Fact, "favorite_hobby", "gardening")
	for b.Loop() {
		likeness.Duplicate(known, m)
	}
}
