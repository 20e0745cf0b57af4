; void load_view(void): wTileMap from the blocks around the player.
; 6 x 5 blocks from the view pointer become 24 x 20 tiles, of which the 20 x 18 on screen are kept.
	.module view

hLoadedROMBank	= 0xb8
wTileMap	= 0xc3a0
wSurrounding	= 0xc508
wViewPointer	= 0xd35f
wYBlockCoord	= 0xd363
wXBlockCoord	= 0xd364
wMapWidth	= 0xd369
wTilesetBank	= 0xd52b
wTilesetBlocks	= 0xd52c

	.area _CODE

_load_view::
	ld	a, (wTilesetBank)
	ld	(0x2000), a
	call	expand_blocks
	ldh	a, (hLoadedROMBank)
	ld	(0x2000), a
	jp	cut_out_screen

expand_blocks:
	ld	hl, #wViewPointer
	ld	a, (hl+)
	ld	h, (hl)
	ld	l, a
	ld	bc, #wSurrounding
	ld	a, #5
1$:
	push	af
	push	hl
	push	bc
	ld	a, #6
2$:
	push	af
	ld	a, (hl+)
	push	hl
	call	expand_block
	ld	hl, #4
	add	hl, bc
	ld	b, h
	ld	c, l
	pop	hl
	pop	af
	dec	a
	jr	nz, 2$
	pop	hl
	ld	bc, #96
	add	hl, bc
	ld	b, h
	ld	c, l
	pop	hl
	ld	a, (wMapWidth)
	add	a, #6
	ld	e, a
	ld	d, #0
	add	hl, de
	pop	af
	dec	a
	jr	nz, 1$
	ret

; Block A to four rows of four tiles at BC, which is kept. Written out: it runs 30 times at each step.
expand_block:
	swap	a
	ld	e, a
	and	a, #0x0f
	ld	d, a
	ld	a, e
	and	a, #0xf0
	ld	hl, #wTilesetBlocks
	add	a, (hl)
	ld	e, a
	inc	hl
	ld	a, d
	adc	a, (hl)
	ld	d, a
	ld	h, b
	ld	l, c
	push	bc
	ld	bc, #20
	ld	a, (de)
	ld	(hl+), a
	inc	de
	ld	a, (de)
	ld	(hl+), a
	inc	de
	ld	a, (de)
	ld	(hl+), a
	inc	de
	ld	a, (de)
	ld	(hl+), a
	inc	de
	add	hl, bc
	ld	a, (de)
	ld	(hl+), a
	inc	de
	ld	a, (de)
	ld	(hl+), a
	inc	de
	ld	a, (de)
	ld	(hl+), a
	inc	de
	ld	a, (de)
	ld	(hl+), a
	inc	de
	add	hl, bc
	ld	a, (de)
	ld	(hl+), a
	inc	de
	ld	a, (de)
	ld	(hl+), a
	inc	de
	ld	a, (de)
	ld	(hl+), a
	inc	de
	ld	a, (de)
	ld	(hl+), a
	inc	de
	add	hl, bc
	ld	a, (de)
	ld	(hl+), a
	inc	de
	ld	a, (de)
	ld	(hl+), a
	inc	de
	ld	a, (de)
	ld	(hl+), a
	inc	de
	ld	a, (de)
	ld	(hl+), a
	inc	de
	pop	bc
	ret

cut_out_screen:
	ld	hl, #wSurrounding
	ld	a, (wYBlockCoord)
	or	a, a
	jr	z, 1$
	ld	hl, #wSurrounding + 48
1$:
	ld	a, (wXBlockCoord)
	or	a, a
	jr	z, 2$
	inc	hl
	inc	hl
2$:
	ld	de, #wTileMap
	ld	b, #18
3$:
	ld	c, #5
4$:
	ld	a, (hl+)		; four at a time never cross a page
	ld	(de), a
	inc	e
	ld	a, (hl+)
	ld	(de), a
	inc	e
	ld	a, (hl+)
	ld	(de), a
	inc	e
	ld	a, (hl+)
	ld	(de), a
	inc	de
	dec	c
	jr	nz, 4$
	inc	hl
	inc	hl
	inc	hl
	inc	hl
	dec	b
	jr	nz, 3$
	ret
