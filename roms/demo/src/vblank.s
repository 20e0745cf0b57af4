; The V-blank interrupt: publishes scroll, sprites and tiles, then advances everything that counts frames.
	.module vblank
	.globl _count_frame

hSCX			= 0xae
hSCY			= 0xaf
hWY			= 0xb0
hAutoBGTransferEnabled	= 0xba
hAutoBGTransferPortion	= 0xbb
hAutoBGTransferDest	= 0xbc
hSPTemp			= 0xbf
hRedrawMode		= 0xd0
hRedrawDest		= 0xd1
hFrameCounter		= 0xd5
hVBlankOccurred		= 0xd6
hJoyInput		= 0xf8
hDisableJoypadPolling	= 0xf9
wTileMap		= 0xc3a0
wRedrawTiles		= 0xcbfc
oam_transfer		= 0xff80

	.area _CODE

_vblank::
	push	af
	push	bc
	push	de
	push	hl
	ldh	a, (hSCX)
	ldh	(0x43), a
	ldh	a, (hSCY)
	ldh	(0x42), a
	ldh	a, (hWY)
	ldh	(0x4a), a
	call	oam_transfer
	call	publish_tiles
	call	_random
	call	read_pad
	xor	a, a
	ldh	(hVBlankOccurred), a
	ld	hl, #0xff00 + hFrameCounter
	ld	a, (hl)
	or	a, a
	jr	z, 1$
	dec	(hl)
1$:
	call	_count_frame
	pop	hl
	pop	de
	pop	bc
	pop	af
	reti

; One kind of tile work a frame, the most urgent first: V-blank has no room for two.
publish_tiles:
	ld	a, (_chunk_tiles)
	or	a, a
	jr	nz, copy_chunk
	ldh	a, (hRedrawMode)
	or	a, a
	jp	nz, redraw_edge
	ldh	a, (hAutoBGTransferEnabled)
	or	a, a
	ret	z
	jp	transfer_third

; chunk_tiles tiles from the chunk buffer to chunk_dest
copy_chunk:
	ld	(0xff00 + hSPTemp), sp
	ld	hl, #_chunk_dest
	ld	a, (hl+)
	ld	h, (hl)
	ld	l, a
	ld	sp, #_chunk_buffer
	ld	a, (_chunk_tiles)
	ld	b, a
1$:
	ld	c, #4
2$:
	pop	de
	ld	a, e
	ld	(hl+), a
	ld	a, d
	ld	(hl+), a
	pop	de
	ld	a, e
	ld	(hl+), a
	ld	a, d
	ld	(hl+), a
	dec	c
	jr	nz, 2$
	dec	b
	jr	nz, 1$
	xor	a, a
	ld	(_chunk_tiles), a
	jp	restore_sp

; Six rows of wTileMap to the background map at hAutoBGTransferDest, a different third each frame
transfer_third:
	ld	(0xff00 + hSPTemp), sp
	ldh	a, (hAutoBGTransferDest)
	ld	l, a
	ldh	a, (hAutoBGTransferDest + 1)
	ld	h, a
	ldh	a, (hAutoBGTransferPortion)
	ld	sp, #wTileMap
	or	a, a
	jr	z, 2$
	ld	sp, #wTileMap + 120
	ld	de, #192
	add	hl, de
	dec	a
	jr	z, 1$
	ld	sp, #wTileMap + 240
	add	hl, de
	ld	a, #0xff
	jr	2$
1$:
	inc	a
2$:
	inc	a
	ldh	(hAutoBGTransferPortion), a
	ld	b, #6
3$:
	ld	c, #5
4$:
	pop	de
	ld	(hl), e
	inc	l
	ld	(hl), d
	inc	l
	pop	de
	ld	(hl), e
	inc	l
	ld	(hl), d
	inc	l
	dec	c
	jr	nz, 4$
	ld	de, #12
	add	hl, de
	dec	b
	jr	nz, 3$
restore_sp:
	ldh	a, (hSPTemp)
	ld	l, a
	ldh	a, (hSPTemp + 1)
	ld	h, a
	ld	sp, hl
	ret

; The edge that scrolls in: mode 1 is two columns of 18 tiles, mode 2 two rows of 20
redraw_edge:
	ld	b, a
	xor	a, a
	ldh	(hRedrawMode), a
	ldh	a, (hRedrawDest)
	ld	e, a
	ldh	a, (hRedrawDest + 1)
	ld	d, a
	ld	hl, #wRedrawTiles
	dec	b
	jr	z, redraw_columns
	call	redraw_row
	ldh	a, (hRedrawDest)
	add	a, #32			; rows come in even pairs: never past the map's end
	ld	e, a
redraw_row:
	ld	b, #20
	ld	a, e
	and	a, #0xe0
	ld	c, a
1$:
	ld	a, (hl+)
	ld	(de), a
	ld	a, e			; wrap inside the row of 32
	inc	a
	and	a, #0x1f
	or	a, c
	ld	e, a
	dec	b
	jr	nz, 1$
	ret

redraw_columns:
	ld	b, #18
1$:
	ld	a, (hl+)
	ld	(de), a
	inc	e
	ld	a, (hl+)
	ld	(de), a
	ld	a, e
	add	a, #31
	ld	e, a
	jr	nc, 2$
	inc	d
	ld	a, d			; wrap inside the map of 32 rows
	and	a, #0x03
	or	a, #0x98
	ld	d, a
2$:
	dec	b
	jr	nz, 1$
	ret

; hJoyInput: right left up down in the high half, A B Select Start in the low one from bit 0
read_pad:
	ldh	a, (hDisableJoypadPolling)
	or	a, a
	ret	nz
	ld	a, #0x20
	ldh	(0x00), a
	ldh	a, (0x00)
	ldh	a, (0x00)
	cpl
	and	a, #0x0f
	swap	a
	ld	b, a
	ld	a, #0x10
	ldh	(0x00), a
	ldh	a, (0x00)
	ldh	a, (0x00)
	ldh	a, (0x00)
	ldh	a, (0x00)
	cpl
	and	a, #0x0f
	or	a, b
	ldh	(hJoyInput), a
	ld	a, #0x30
	ldh	(0x00), a
	ret

; void install_oam_transfer(void): the bus belongs to the transfer, so its loop runs in high RAM.
_install_oam_transfer::
	ld	hl, #1$
	ld	de, #oam_transfer
	ld	b, #10
2$:
	ld	a, (hl+)
	ld	(de), a
	inc	de
	dec	b
	jr	nz, 2$
	ret
1$:
	.db	0x3e, 0xc3		; ld a, #>wShadowOAM
	.db	0xe0, 0x46		; ldh (rDMA), a
	.db	0x3e, 0x28		; ld a, #40
	.db	0x3d			; dec a
	.db	0x20, 0xfd		; jr nz, -3
	.db	0xc9			; ret

	.area _DATA
_chunk_tiles::
	.ds	1
_chunk_dest::
	.ds	2
_chunk_buffer::
	.ds	128
