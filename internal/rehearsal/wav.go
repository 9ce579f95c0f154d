package rehearsal

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
)

// Rate is how many samples a second of a call has.
const Rate = 8000

// Stereo makes a WAV file of two sides of a call, which are μ-law and equally long: 16 bits, left and right.
func Stereo(left, right []byte) []byte {
	out := make([]byte, 0, wavHead+4*len(left))
	out = append(out, "RIFF"...)
	out = binary.LittleEndian.AppendUint32(out, uint32(wavHead-8+4*len(left)))
	out = append(out, "WAVEfmt "...)
	for _, v := range []any{
		uint32(16), uint16(1), uint16(2), uint32(Rate), uint32(Rate * 4), uint16(4), uint16(16),
	} {
		out = appendNumber(out, v)
	}
	out = append(out, "data"...)
	out = binary.LittleEndian.AppendUint32(out, uint32(4*len(left)))
	return appendSamples(out, left, right)
}

// Samples are those of a piece of a call, as Stereo has them.
func Samples(left, right []byte) []byte { return appendSamples(nil, left, right) }

const wavHead = 44

func appendNumber(out []byte, v any) []byte {
	switch v := v.(type) {
	case uint16:
		return binary.LittleEndian.AppendUint16(out, v)
	case uint32:
		return binary.LittleEndian.AppendUint32(out, v)
	default:
		return out
	}
}

// appendSamples interleaves two sides.
func appendSamples(out, left, right []byte) []byte {
	for i, l := range left {
		r := byte(Quiet)
		if i < len(right) {
			r = right[i]
		}
		out = binary.LittleEndian.AppendUint16(out, uint16(linear(l)))
		out = binary.LittleEndian.AppendUint16(out, uint16(linear(r)))
	}
	return out
}

// mono reads the samples of a WAV file of one channel and 16 bits, as speech programs write it: sizes in its header may
// be those of a file whose end is not known yet.
func mono(wav []byte) (samples []int16, rate int, err error) {
	if len(wav) < 12 || !bytes.HasPrefix(wav, []byte("RIFF")) || string(wav[8:12]) != "WAVE" {
		return nil, 0, errors.New("it is no WAV file")
	}
	for rest := wav[12:]; len(rest) >= 8; {
		kind, size := string(rest[:4]), int(binary.LittleEndian.Uint32(rest[4:]))
		rest = rest[8:]
		size = min(size, len(rest))
		switch kind {
		case "fmt ":
			if size < 16 {
				return nil, 0, errors.New("the form of the WAV file is cut")
			}
			form, channels, bits := binary.LittleEndian.Uint16(rest), binary.LittleEndian.Uint16(rest[2:]), binary.LittleEndian.Uint16(rest[14:])
			if form != 1 || channels != 1 || bits != 16 {
				return nil, 0, fmt.Errorf("the WAV file has form %d, %d channels, %d bits; want 1, 1, 16", form, channels, bits)
			}
			rate = int(binary.LittleEndian.Uint32(rest[4:]))
		case "data":
			samples = make([]int16, size/2)
			for i := range samples {
				samples[i] = int16(binary.LittleEndian.Uint16(rest[2*i:]))
			}
		}
		rest = rest[min(len(rest), size+size%2):]
	}
	if rate < Rate || len(samples) == 0 {
		return nil, 0, errors.New("the WAV file has no sound")
	}
	return samples, rate, nil
}
