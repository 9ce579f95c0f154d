package arch

// ratchet holds what is larger than the house style allows, with the reason: "path" for a file, "path:Func" or
// "path:Type.Method" for a function. It only ever gets shorter: an entry that is not needed any more fails the test.
func ratchet() map[string]string {
	return map[string]string{}
}
