; Bytes moved about inside what is mapped now.
	.module memory

	.area _CODE

; void copy(void *to, const void *from, uint16_t length): DE, BC, stack
_copy::
	ldhl	sp, #2
	ld	a, (hl+)
	ld	h, (hl)
	ld	l, a
	push	hl
	ld	h, b
	ld	l, c
	pop	bc
1$:
	ld	a, b
	or	a, c
	jr	z, leave
	ld	a, (hl+)
	ld	(de), a
	inc	de
	dec	bc
	jr	1$

; void fill(void *to, uint8_t value, uint16_t length): DE, A, stack
_fill::
	ldhl	sp, #2
	ld	c, (hl)
	inc	hl
	ld	b, (hl)
	ld	h, d
	ld	l, e
	ld	d, a
1$:
	ld	a, b
	or	a, c
	jr	z, leave
	ld	a, d
	ld	(hl+), a
	dec	bc
	jr	1$

; The called one takes the argument off the stack.
leave:
	pop	hl
	pop	bc
	jp	(hl)
