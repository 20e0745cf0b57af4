; The other banks of cartridge RAM. While one is shown the C variables are hidden, so nothing may interrupt.
	.module cartridge_ram

	.area _CODE

; void show_cartridge_ram(uint8_t bank): until hide_cartridge_ram() nothing but arguments and locals exists.
_show_cartridge_ram::
	di
	ld	(0x4000), a
	ret

; void hide_cartridge_ram(void)
_hide_cartridge_ram::
	xor	a, a
	ld	(0x4000), a
	ei
	ret
