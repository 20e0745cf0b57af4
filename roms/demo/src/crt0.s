; Vectors, cartridge entry and the first instructions: everything that must lie at a fixed place in bank 0.
	.module crt0
	.globl _main
	.globl _vblank

	.area _VECTORS (ABS)
	.org 0x40
	jp	_vblank
	.org 0x48
	reti
	.org 0x50
	reti
	.org 0x58
	reti
	.org 0x60
	reti

	; How much longer each wait lasts: so many frames, or at random up to so many with bit 7. build.py writes it.
	.org 0x68
_extra_waits::
	.db 0

	.org 0x100
	nop
	jp	start

	.org 0x150
start:
	di
	ld	sp, #0xdfff		; wStack
	xor	a, a
	ldh	(0x26), a		; no sound
	ld	a, #0x0a
	ld	(0x0000), a		; cartridge RAM on
	xor	a, a
	ld	(0x4000), a		; its bank 0 holds the C variables
	ld	hl, #0xa000
	ld	bc, #0x0598
	call	clear
	ld	hl, #0xc000
	ld	bc, #0x1ff0		; all work RAM but our own return addresses
	call	clear
	ld	hl, #0xff80
	ld	bc, #0x007f
	call	clear
	ld	a, #1
	ldh	(0xb8), a		; hLoadedROMBank
	ld	(0x2000), a
	call	_main
forever:
	jr	forever

clear:					; BC zero bytes at HL
	xor	a, a
	ld	(hl+), a
	dec	bc
	ld	a, b
	or	a, c
	jr	nz, clear
	ret

; The order of the areas in bank 0 and in cartridge RAM.
	.area _CODE
	.area _HOME
	.area _GSINIT
	.area _GSFINAL
	.area _INITIALIZER
	.area _DATA
	.area _INITIALIZED
	.area _BSS
