package answer

// Problem is something that had to be forgiven in an answer: one of a closed set, fit for the label of a metric.
type Problem = string

// The problems.
const (
	Encoding   Problem = "encoding"   // broken UTF-8, a byte order mark, or JSON escaped twice
	TooLong    Problem = "too long"   // past MaxBytes
	Thoughts   Problem = "thoughts"   // the model thought aloud first
	Prose      Problem = "prose"      // words around the JSON
	Fence      Problem = "fence"      // a code fence
	Several    Problem = "several"    // more than one block of JSON
	Wrapping   Problem = "wrapping"   // another shape around the entries than the one asked for
	Quotes     Problem = "quotes"     // other quotation marks, or ones that were not escaped
	Unquoted   Problem = "unquoted"   // keys or texts without quotation marks
	Marks      Problem = "marks"      // commas and colons too many, too few, or of another script
	Brackets   Problem = "brackets"   // brackets that do not pair
	Words      Problem = "words"      // None, True, undefined
	Comments   Problem = "comments"   // comments in the JSON
	BrokenOff  Problem = "broken off" // it ends in the middle
	TooDeep    Problem = "too deep"   // nested deeper than anything that was asked for
	TooMany    Problem = "too many"   // more entries, or lines, than are kept
	Repeated   Problem = "repeated"   // a field, an entry or a line twice
	Fields     Problem = "fields"     // fields under other names, or ones that were not asked for
	Type       Problem = "type"       // a memory type that is none of ours
	Key        Problem = "key"        // a key that is no snake_case, or none
	Value      Problem = "value"      // a value that is no text, too long, or none
	Confidence Problem = "confidence" // a confidence that is no number from 0 to 1
	Turns      Problem = "turns"      // turns that are no list of numbers
	Due        Problem = "due"        // a due time that is no text
	Markdown   Problem = "markdown"   // headings and lists in place of JSON
)

// Problems lists the problems in the order in which a Report names them.
func Problems() []Problem {
	return []Problem{
		Encoding, TooLong, Thoughts, Prose, Fence, Several, Wrapping, Quotes, Unquoted, Marks, Brackets, Words, Comments,
		BrokenOff, TooDeep, TooMany, Repeated, Fields, Type, Key, Value, Confidence, Turns, Due, Markdown,
	}
}

// faults are the problems found so far.
type faults map[Problem]bool

func (f faults) add(p Problem) { f[p] = true }

// list names the problems of several sets, each once.
func list(sets ...faults) []Problem {
	var out []Problem
	for _, p := range Problems() {
		for _, f := range sets {
			if f[p] {
				out = append(out, p)
				break
			}
		}
	}
	return out
}
