package bag

import (
	_ "embed"
	"strconv"
	"strings"
	"sync"
)

// Weights are whole numbers, so that they add up alike on every machine.
const (
	rareWeight = 64 // of a stem that is not among the common ones
	rareBand   = 5  // their band, or lower
	bandWeight = 6  // that each band costs
)

//go:embed common.txt
var commonText string

// common is log2 of the count per million of the most common stems of service talk; read once.
var common = sync.OnceValue(func() map[string]int64 {
	bands := map[string]int64{}
	for line := range strings.Lines(commonText) {
		f := strings.Fields(line)
		if len(f) < 2 || f[0] == "#" {
			continue
		}
		band, err := strconv.ParseInt(f[0], 10, 64)
		if err != nil {
			continue
		}
		for _, stem := range f[1:] {
			bands[stem] = band
		}
	}
	return bands
})

// weight is how much a stem counts that occurs n times: the more common it is in what everybody says, the less.
func weight(stem string, n int) int64 {
	w := int64(rareWeight)
	if band, ok := common()[stem]; ok {
		w -= bandWeight * (band - rareBand)
	}
	return w * often(n)
}

// often is 1 + ln n in hundredths, for n from 1 to 16; a word that is said more often counts no more.
func often(n int) int64 {
	return [...]int64{100, 169, 210, 239, 261, 279, 295, 308, 320, 330, 340, 348, 356, 364, 371, 377}[min(n, 16)-1]
}
