//go:build !amd64

package vector

const (
	step = 1
	fast = false
)

// None is ever called where there is no machine code.

func products(*int32, *int8, *int8, int, int) { panic("vector: no machine code here") }

func fineProducts(*int32, *int16, *uint64, int, int) { panic("vector: no machine code here") }

func addTimes(*int64, *int8, int, int32) { panic("vector: no machine code here") }

func levels(*int32, *int8, *byte, int, int32) { panic("vector: no machine code here") }
