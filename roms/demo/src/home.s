; What must be fast or must survive a change of ROM bank: waiting, chance, far calls and far reads.
	.module home
	.globl _extra_waits

hLoadedROMBank	= 0xb8
hRandomAdd	= 0xd3
hRandomSub	= 0xd4
hVBlankOccurred	= 0xd6
rDIV		= 0x04
SHORTEST_WAIT	= 3

	.area _CODE

; void delay_frame(void): sleep until the next V-blank has been served. The only halt of the cartridge.
_delay_frame::
	ld	a, #1
	ldh	(hVBlankOccurred), a
1$:
	halt
	nop
	ldh	a, (hVBlankOccurred)
	or	a, a
	jr	nz, 1$
	ret

; void delay_frames(uint8_t count): longer in an image built to wait longer, but for the pace of one or two frames.
_delay_frames::
	cp	a, #SHORTEST_WAIT
	call	nc, lengthen
1$:
	push	af
	call	_delay_frame
	pop	af
	dec	a
	jr	nz, 1$
	ret

lengthen:
	ld	b, a
	ld	a, (_extra_waits)
	ld	c, a
	rla
	call	c, draw_wait
	ld	a, c
	add	a, b
	ret	nc
	ld	a, #0xff
	ret

; C becomes a number from 0 to its lower bits, by a sequence of its own: random() goes on as it would.
draw_wait:
	res	7, c
	inc	c
	ld	a, (wait_seed)
	ld	d, a
	add	a, a
	add	a, a
	add	a, d
	add	a, #61
	ld	(wait_seed), a
	swap	a
1$:
	cp	a, c
	jr	c, 2$
	sub	a, c
	jr	1$
2$:
	ld	c, a
	ret

; uint8_t random(void): stir both bytes with the divider, return the first.
_random::
	ldh	a, (rDIV)
	ld	b, a
	ldh	a, (hRandomAdd)
	adc	a, b
	ldh	(hRandomAdd), a
	ldh	a, (rDIV)
	ld	b, a
	ldh	a, (hRandomSub)
	sbc	a, b
	ldh	(hRandomSub), a
	ldh	a, (hRandomAdd)
	ret

; Called by the compiler for __banked functions: E = bank, HL = address. Keeps the results in A and BC.
___sdcc_bcall_ehl::
	ldh	a, (hLoadedROMBank)
	push	af
	ld	a, e
	ldh	(hLoadedROMBank), a
	ld	(0x2000), a
	call	call_hl
	pop	hl
	ld	l, a
	ld	a, h
	ldh	(hLoadedROMBank), a
	ld	(0x2000), a
	ld	a, l
	ret
call_hl:
	jp	(hl)

; uint8_t far_byte(uint8_t bank, uint16_t address): A, DE -> A
_far_byte::
	ld	(0x2000), a
	ld	a, (de)
	ld	l, a
	ldh	a, (hLoadedROMBank)
	ld	(0x2000), a
	ld	a, l
	ret

; uint16_t far_word(uint8_t bank, uint16_t address): A, DE -> BC
_far_word::
	ld	(0x2000), a
	ld	a, (de)
	ld	c, a
	inc	de
	ld	a, (de)
	ld	b, a
	ldh	a, (hLoadedROMBank)
	ld	(0x2000), a
	ret

; void far_copy_run(void *to, uint16_t from): DE, BC; far_bank and far_length say the rest.
_far_copy_run::
	ld	a, (_far_bank)
	ld	(0x2000), a
	ld	h, b
	ld	l, c
	ld	a, (_far_length)
	ld	c, a
	ld	a, (_far_length + 1)
	ld	b, a
	or	a, c
	jr	z, 2$
1$:
	ld	a, (hl+)
	ld	(de), a
	inc	de
	dec	bc
	ld	a, b
	or	a, c
	jr	nz, 1$
2$:
	ldh	a, (hLoadedROMBank)
	ld	(0x2000), a
	ret

	.area _DATA
wait_seed:
	.ds	1
_far_bank::
	.ds	1
_far_length::
	.ds	2
