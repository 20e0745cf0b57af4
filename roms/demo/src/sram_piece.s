; A few bytes between work RAM and a bank of cartridge RAM.
	.module sram_piece

	.area _CODE

; void sram_piece(uint8_t *to, const uint8_t *from, uint8_t count, uint8_t bank): DE, BC, stack
_sram_piece::
	ldhl	sp, #3
	di
	ld	a, (hl-)
	ld	(0x4000), a
	ld	a, (hl)
	ld	h, b
	ld	l, c
	ld	b, a
1$:
	ld	a, (hl+)
	ld	(de), a
	inc	de
	dec	b
	jr	nz, 1$
	xor	a, a
	ld	(0x4000), a		; the C variables again
	ei
	pop	hl
	pop	bc
	jp	(hl)
