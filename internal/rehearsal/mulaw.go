package rehearsal

// μ-law (ITU-T G.711) and linear samples of 16 bits.
const (
	ulawBias = 0x84
	ulawClip = 32635
)

// ulaw makes μ-law of a sample.
func ulaw(sample int16) byte {
	v, sign := int(sample), byte(0)
	if v < 0 {
		v, sign = -v, 0x80
	}
	v = min(v, ulawClip) + ulawBias
	exponent := 7
	for mask := 0x4000; exponent > 0 && v&mask == 0; mask >>= 1 {
		exponent--
	}
	return ^(sign | byte(exponent<<4) | byte(v>>(exponent+3)&0x0F))
}

// linear makes a sample of μ-law.
func linear(b byte) int16 {
	b = ^b
	v := ((int(b&0x0F)<<3)+ulawBias)<<(b>>4&7) - ulawBias
	if b&0x80 != 0 {
		v = -v
	}
	return int16(v)
}
