package keytable

// DestroyKeySQL is the commit of a destruction alone, for a test in which a process dies after it.
const DestroyKeySQL = destroyKey

// Idle ends the work in the background.
func (k *Keys) Idle() {
	k.end()
	<-k.done
}
