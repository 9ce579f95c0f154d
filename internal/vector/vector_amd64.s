#include "textflag.h"

// ones: sixteen int16 of 1, to add neighbouring products up.
DATA ones<>+0(SB)/8, $0x0001000100010001
DATA ones<>+8(SB)/8, $0x0001000100010001
DATA ones<>+16(SB)/8, $0x0001000100010001
DATA ones<>+24(SB)/8, $0x0001000100010001
GLOBL ones<>(SB), RODATA|NOPTR, $32

// func products(out *int32, q, rows *int8, width, n int)
//
// The machine multiplies unsigned with signed bytes only: |q| with the row's number, whose sign is turned where q's is negative.
// Two products of at most 127*127 fit an int16.
TEXT ·products(SB), NOSPLIT, $0-40
	MOVQ    out+0(FP), DI
	MOVQ    q+8(FP), SI
	MOVQ    rows+16(FP), DX
	MOVQ    width+24(FP), CX
	MOVQ    n+32(FP), R8
	VMOVDQU ones<>(SB), Y7

row:
	VPXOR Y0, Y0, Y0
	XORQ  AX, AX

part:
	VMOVDQU    (SI)(AX*1), Y1
	VMOVDQU    (DX)(AX*1), Y2
	VPSIGNB    Y1, Y2, Y2
	VPABSB     Y1, Y1
	VPMADDUBSW Y2, Y1, Y3
	VPMADDWD   Y7, Y3, Y3
	VPADDD     Y3, Y0, Y0
	ADDQ       $32, AX
	CMPQ       AX, CX
	JLT        part

	VEXTRACTI128 $1, Y0, X1
	VPADDD       X1, X0, X0
	VPSHUFD      $0x4E, X0, X1
	VPADDD       X1, X0, X0
	VPSHUFD      $0xB1, X0, X1
	VPADDD       X1, X0, X0
	VMOVD        X0, (DI)
	ADDQ         $4, DI
	ADDQ         CX, DX
	DECQ         R8
	JNZ          row
	VZEROUPPER
	RET

// func fineProducts(out *int32, q *int16, rows *uint64, width, n int)
//
// Two products of at most 255*2047 are added up in an int32, and 4000 of them fit one.
TEXT ·fineProducts(SB), NOSPLIT, $0-40
	MOVQ out+0(FP), DI
	MOVQ q+8(FP), SI
	MOVQ rows+16(FP), DX
	MOVQ width+24(FP), CX
	MOVQ n+32(FP), R8

fineRow:
	VPXOR Y0, Y0, Y0
	XORQ  AX, AX

finePart:
	VPMOVZXBW (DX)(AX*1), Y1
	VPMADDWD  (SI)(AX*2), Y1, Y1
	VPADDD    Y1, Y0, Y0
	ADDQ      $16, AX
	CMPQ      AX, CX
	JLT       finePart

	VEXTRACTI128 $1, Y0, X1
	VPADDD       X1, X0, X0
	VPSHUFD      $0x4E, X0, X1
	VPADDD       X1, X0, X0
	VPSHUFD      $0xB1, X0, X1
	VPADDD       X1, X0, X0
	VMOVD        X0, (DI)
	ADDQ         $4, DI
	ADDQ         CX, DX
	DECQ         R8
	JNZ          fineRow
	VZEROUPPER
	RET

// func addTimes(sum *int64, row *int8, width int, times int32)
TEXT ·addTimes(SB), NOSPLIT, $0-28
	MOVQ         sum+0(FP), DI
	MOVQ         row+8(FP), SI
	MOVQ         width+16(FP), CX
	MOVL         times+24(FP), AX
	VMOVD        AX, X7
	VPBROADCASTD X7, Y7
	XORQ         AX, AX

eight:
	VPMOVSXBQ (SI)(AX*1), Y0
	VPMOVSXBQ 4(SI)(AX*1), Y1
	VPMULDQ   Y7, Y0, Y0
	VPMULDQ   Y7, Y1, Y1
	VPADDQ    (DI)(AX*8), Y0, Y0
	VPADDQ    32(DI)(AX*8), Y1, Y1
	VMOVDQU   Y0, (DI)(AX*8)
	VMOVDQU   Y1, 32(DI)(AX*8)
	ADDQ      $8, AX
	CMPQ      AX, CX
	JLT       eight
	VZEROUPPER
	RET

// threes: thirty-two bytes of 3, to take one of the four levels that a byte holds.
DATA threes<>+0(SB)/8, $0x0303030303030303
DATA threes<>+8(SB)/8, $0x0303030303030303
DATA threes<>+16(SB)/8, $0x0303030303030303
DATA threes<>+24(SB)/8, $0x0303030303030303
GLOBL threes<>(SB), RODATA|NOPTR, $32

// func levels(out *int32, q *int8, rows *byte, n int, add int32)
//
// Eight sums of at most 2*3*127 fit an int16. What is to come is fetched ahead: by itself a processor does so only up to a page's end. To
// fetch what lies behind the last sketch does no harm.
TEXT ·levels(SB), NOSPLIT, $0-36
	MOVQ    out+0(FP), DI
	MOVQ    q+8(FP), SI
	MOVQ    rows+16(FP), DX
	MOVQ    n+24(FP), R8
	MOVL    add+32(FP), R9
	VMOVDQU ones<>(SB), Y6
	VMOVDQU threes<>(SB), Y7
	VMOVDQU (SI), Y8
	VMOVDQU 32(SI), Y9
	VMOVDQU 64(SI), Y10
	VMOVDQU 96(SI), Y11
	VMOVDQU 128(SI), Y12
	VMOVDQU 160(SI), Y13
	VMOVDQU 192(SI), Y14
	VMOVDQU 224(SI), Y15

sketch:
	PREFETCHT0 4096(DX)
	VMOVDQU    (DX), Y0
	VMOVDQU    32(DX), Y1
	VPAND      Y7, Y0, Y2
	VPAND      Y7, Y1, Y3
	VPMADDUBSW Y8, Y2, Y4
	VPMADDUBSW Y9, Y3, Y5
	VPADDW     Y5, Y4, Y4
	VPSRLW     $2, Y0, Y2
	VPSRLW     $2, Y1, Y3
	VPAND      Y7, Y2, Y2
	VPAND      Y7, Y3, Y3
	VPMADDUBSW Y10, Y2, Y2
	VPMADDUBSW Y11, Y3, Y3
	VPADDW     Y2, Y4, Y4
	VPADDW     Y3, Y4, Y4
	VPSRLW     $4, Y0, Y2
	VPSRLW     $4, Y1, Y3
	VPAND      Y7, Y2, Y2
	VPAND      Y7, Y3, Y3
	VPMADDUBSW Y12, Y2, Y2
	VPMADDUBSW Y13, Y3, Y3
	VPADDW     Y2, Y4, Y4
	VPADDW     Y3, Y4, Y4
	VPSRLW     $6, Y0, Y2
	VPSRLW     $6, Y1, Y3
	VPAND      Y7, Y2, Y2
	VPAND      Y7, Y3, Y3
	VPMADDUBSW Y14, Y2, Y2
	VPMADDUBSW Y15, Y3, Y3
	VPADDW     Y2, Y4, Y4
	VPADDW     Y3, Y4, Y4
	VPMADDWD   Y6, Y4, Y0

	VEXTRACTI128 $1, Y0, X1
	VPADDD       X1, X0, X0
	VPSHUFD      $0x4E, X0, X1
	VPADDD       X1, X0, X0
	VPSHUFD      $0xB1, X0, X1
	VPADDD       X1, X0, X0
	VMOVD        X0, AX
	LEAL         (R9)(AX*2), AX
	MOVL         AX, (DI)
	ADDQ         $4, DI
	ADDQ         $64, DX
	DECQ         R8
	JNZ          sketch
	VZEROUPPER
	RET
