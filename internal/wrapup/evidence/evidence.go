// Package evidence ties what a language model says of a conversation to the words that were said in it (spec W9, B10,
// B11).
//
// Before a model reads a conversation, Own takes out of it what may not become a fact, Window cuts it into parts that
// fit, and Script writes each part as data: numbered lines inside a fence that nothing inside can close. Afterwards
// Supports holds each memory against the turns that it claims to come from, and Trim each line of a summary against all
// turns.
//
// # What supports a memory
//
// Most of the words of its value must have been said (support.go), by their stems, so that a fair paraphrase passes;
// its numbers all, in digits or in words, its names all, to the letter; and what the value affirms must not have been
// denied, or the other way round. A date passes where the words mean the same day. Only the caller's words count. The
// agent's question is what an answer is understood by, and what the agent says counts only where the caller's next turn
// says yes to it.
//
// It compares words: it knows no synonyms, does not see who a sentence is about, and reads a value only in the language
// that was spoken. English is read best; other languages by words, alike in most of their letters, and scripts without
// spaces by pairs of characters, which asks for more of the value to be verbatim.
//
// It is pure: no model, no clock, no I/O. It is not for reading a model's answer (wrapup/answer), nor for finding
// memories without a model (wrapup/extract).
package evidence
