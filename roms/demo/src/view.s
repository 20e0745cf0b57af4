; void load_view(void): wTileMap from the blocks around the player.
; The screen is five blocks high but for two rows of tiles, and five wide: begun at the second half of a block it takes the
; halves of two. Rows are drawn in bands, a band for each row of blocks.
	.module view

hLoadedROMBank	= 0xb8
wTileMap	= 0xc3a0
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
	call	draw_bands
	ldh	a, (hLoadedROMBank)
	ld	(0x2000), a
	ret

draw_bands:
	ld	hl, #wViewPointer
	ld	a, (hl+)
	ld	h, (hl)
	ld	l, a
	ld	bc, #wTileMap
	ld	a, (wYBlockCoord)
	or	a, a
	jr	z, 1$
	ld	e, #8			; the lower half of the first
	ld	a, #1
	call	draw_band
1$:
	ld	d, #4
2$:
	push	de
	ld	e, #0
	ld	a, #2
	call	draw_band
	pop	de
	dec	d
	jr	nz, 2$
	ld	a, (wYBlockCoord)
	or	a, a
	ret	nz
	ld	e, #0			; the upper half of the last
	ld	a, #1

; A pairs of rows of the blocks at HL, beginning E bytes into each, to BC. Both end where the next band begins.
draw_band:
	ld	(pairs), a
	ld	a, (wTilesetBlocks)
	add	a, e
	ld	(source), a
	ld	a, (wTilesetBlocks + 1)
	adc	a, #0
	ld	(source + 1), a
	push	hl
	push	bc
	ld	a, (wXBlockCoord)
	or	a, a
	jr	nz, 1$
	ld	a, #5
	call	draw_blocks
	jr	2$
1$:
	ld	e, #2
	call	draw_half_block
	ld	a, #4
	call	draw_blocks
	ld	e, #0
	call	draw_half_block
2$:
	pop	bc
	ld	a, (pairs)
	dec	a
	ld	hl, #40
	jr	z, 3$
	ld	hl, #80
3$:
	add	hl, bc
	ld	b, h
	ld	c, l
	pop	hl
	ld	a, (wMapWidth)
	add	a, #6
	ld	e, a
	ld	d, #0
	add	hl, de
	ret

; A blocks, whose numbers are at HL, to BC; both move on. Written out: most of the screen comes from here at each step.
draw_blocks:
	push	af
	ld	a, (hl+)
	push	hl
	push	bc
	call	find_block
	ld	h, b
	ld	l, c
	ld	bc, #16
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
	ld	a, (pairs)
	dec	a
	jr	z, 1$
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
1$:
	pop	hl
	ld	bc, #4
	add	hl, bc
	ld	b, h
	ld	c, l
	pop	hl
	pop	af
	dec	a
	jr	nz, draw_blocks
	ret

; Two columns of the block whose number is at HL, beginning E bytes into its rows, to BC; both move on.
draw_half_block:
	ld	a, (hl+)
	push	hl
	push	bc
	push	de
	call	find_block
	pop	hl
	ld	a, l
	add	a, e
	ld	e, a
	jr	nc, 1$
	inc	d
1$:
	ld	h, b
	ld	l, c
	ld	bc, #18
	ld	a, (pairs)
	add	a, a
2$:
	push	af
	ld	a, (de)
	ld	(hl+), a
	inc	de
	ld	a, (de)
	ld	(hl+), a
	inc	de
	inc	de
	inc	de
	add	hl, bc
	pop	af
	dec	a
	jr	nz, 2$
	pop	bc
	inc	bc
	inc	bc
	pop	hl
	ret

; DE: the first of the tiles wanted of block A. BC is kept.
find_block:
	swap	a
	ld	e, a
	and	a, #0x0f
	ld	d, a
	ld	a, e
	and	a, #0xf0
	ld	hl, #source
	add	a, (hl)
	ld	e, a
	inc	hl
	ld	a, d
	adc	a, (hl)
	ld	d, a
	ret

	.area _DATA
source:
	.ds	2			; the blocks of the tileset, from the first row that is wanted
pairs:
	.ds	1
