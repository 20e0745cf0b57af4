/* The RAM side of the binary contract: the labels the cartridge uses, where symbols.csv puts them. */
#ifndef RAM_H
#define RAM_H

#include "hardware.h"

#define BYTE(address) (*(uint8_t *)(address))
#define WORD(address) (*(uint16_t *)(address))
#define BYTES(address) ((uint8_t *)(address))

/* Map objects: slot 0 is the player. */
typedef struct {
    uint8_t picture, status, image, y_step, y_pixels, x_step, x_pixels, intra_frame, frame, facing;
    uint8_t helper_a, helper_b, collision, data[3];
} SpriteState1;

typedef struct {
    uint8_t walk_counter, unused_1, y_displacement, x_displacement, map_y, map_x, movement_1, grass;
    uint8_t delay, original_facing, unused_a[3], picture_copy, image_base, unused_f;
} SpriteState2;

#define wSprites1 ((SpriteState1 *)0xC100)
#define wSprites2 ((SpriteState2 *)0xC200)
#define SPRITE_SLOTS 16

/* Screen. */
#define wShadowOAM BYTES(0xC300)
#define wTileMap BYTES(0xC3A0)
#define wTileMapBackup BYTES(0xC508)
#define TILE_MAP_SIZE 360
#define wOverworldMap 0xC6E8
#define wOverworldMapSize 1300
#define wRedrawTiles BYTES(0xCBFC)
/* Added up as a number: sdcc 4.2 loses the carry when it folds pointer + constant in a dereference. */
#define TILE_AT(x, y) ((uint8_t *)(0xC3A0 + 20 * (y) + (x)))

/* Menus. */
#define wTopMenuItemY BYTE(0xCC24)
#define wTopMenuItemX BYTE(0xCC25)
#define wCurrentMenuItem BYTE(0xCC26)
#define wTileBehindCursor BYTE(0xCC27)
#define wMaxMenuItem BYTE(0xCC28)
#define wMenuWatchedKeys BYTE(0xCC29)
#define wLastMenuItem BYTE(0xCC2A)
#define wBagSavedMenuItem BYTE(0xCC2C)
#define wStartSavedMenuItem BYTE(0xCC2D)
#define wMenuCursorLocation WORD(0xCC30)
#define wMenuJoypadPollCount BYTE(0xCC34)
#define wMenuItemToSwap BYTE(0xCC35)
#define wListScrollOffset BYTE(0xCC36)
#define wMenuWatchMovingOutOfBounds BYTE(0xCC37)
#define wTextDest WORD(0xCC3A)
#define wDoNotWaitAfterText BYTE(0xCC3C)
#define wMenuWrappingEnabled BYTE(0xCC4A)
#define wCheckFor180DegreeTurn BYTE(0xCC4B)
#define wOptionsTextSpeedCursorX BYTE(0xCD3D)
#define wOptionsBattleAnimCursorX BYTE(0xCD3E)
#define wOptionsBattleStyleCursorX BYTE(0xCD3F)
#define wListPointer WORD(0xCF8B)
#define wCurItem BYTE(0xCF91)
#define wWhichPokemon BYTE(0xCF92)
#define wListMenuID BYTE(0xCF94)
#define wMaxItemQuantity BYTE(0xCF97)
#define wTextBoxID BYTE(0xD125)
#define wListCount BYTE(0xD12A)
#define wTwoOptionMenuID BYTE(0xD12C)
#define wChosenMenuItem BYTE(0xD12D)
#define wMenuExitMethod BYTE(0xD12E)
#define LIST_ITEMS 3

/* Input. */
#define wSimulatedJoypadStates BYTES(0xCCD3)
#define wSimulatedJoypadIndex BYTE(0xCD38)
#define wJoyIgnore BYTE(0xCD6B)
#define wNameBuffer BYTES(0xCD6D)
#define wIgnoreInputCounter BYTE(0xD13A)

/* Movement and map. */
#define wMiscFlags BYTE(0xCD60)
#define MISC_TURNING 0x04
#define wTilePlayerStandingOn BYTE(0xCF0E)
#define wSpriteIndex BYTE(0xCF13)
#define wFontLoaded BYTE(0xCFC4)
#define FONT_LOADED 0x01
#define wWalkCounter BYTE(0xCFC5)
#define wTileInFrontOfPlayer BYTE(0xCFC6)
#define wUpdateSpritesEnabled BYTE(0xCFCB)
#define wEnemyMonNick BYTES(0xCFDA)
#define wBattleMonNick BYTES(0xD009)
#define wIsInBattle BYTE(0xD057)
#define wSaveFileStatus BYTE(0xD088)
#define wStepCounter BYTE(0xD13B)
#define wCurMap BYTE(0xD35E)
#define wViewPointer WORD(0xD35F)
#define wYCoord BYTE(0xD361)
#define wXCoord BYTE(0xD362)
#define wYBlockCoord BYTE(0xD363)
#define wXBlockCoord BYTE(0xD364)
#define wLastMap BYTE(0xD365)
#define wCurMapTileset BYTE(0xD367)
#define wCurMapHeight BYTE(0xD368)
#define wCurMapWidth BYTE(0xD369)
#define wCurMapDataPtr WORD(0xD36A)
#define wCurMapTextPtr WORD(0xD36C)
#define wCurMapConnections BYTE(0xD370)
#define wObjectDataPointer WORD(0xD3A9)
#define wMapBackgroundTile BYTE(0xD3AD)
#define wNumberOfWarps BYTE(0xD3AE)
#define wDestinationWarpID BYTE(0xD42F)
#define wNumSigns BYTE(0xD4B0)
#define wSignCoords BYTES(0xD4B1)
#define wSignTextIDs BYTES(0xD4D1)
#define wNumSprites BYTE(0xD4E1)
#define wMapSpriteData BYTES(0xD4E4)
#define wMapSpriteExtraData BYTES(0xD504)
#define wCurrentMapHeight2 BYTE(0xD524)
#define wCurrentMapWidth2 BYTE(0xD525)
#define wMapViewVRAMPointer WORD(0xD526)
#define wPlayerMovingDirection BYTE(0xD528)
#define wPlayerLastStopDirection BYTE(0xD529)
#define wPlayerDirection BYTE(0xD52A)
#define wTilesetHeader BYTES(0xD52B)
#define wTilesetBank BYTE(0xD52B)
#define wTilesetBlocksPtr WORD(0xD52C)
#define wTilesetGfxPtr WORD(0xD52E)
#define wTilesetCollisionPtr WORD(0xD530)
#define wTilesetCounterTiles BYTES(0xD532)
#define wGrassTile BYTE(0xD535)
#define wToggleableObjectList BYTES(0xD5CE)
#define wWarpedFromWhichWarp BYTE(0xD73B)
#define wWarpedFromWhichMap BYTE(0xD73C)

typedef struct {
    uint8_t y, x, destination_warp, destination_map;
} Warp;
#define wWarps ((Warp *)0xD3AF)

typedef struct {
    uint8_t map;
    uint16_t strip, target;
    uint8_t length, width, y_alignment, x_alignment;
    uint16_t view;
} Connection;
/* In the order north, south, west, east. */
#define wConnections ((Connection *)0xD371)
enum { NORTH, SOUTH, WEST, EAST };

/* The player's belongings. */
#define wPlayerName BYTES(0xD158)
#define NAME_SIZE 11
#define wPartyCount BYTE(0xD163)
#define wPartySpecies BYTES(0xD164)
#define wNumBagItems BYTE(0xD31D)
#define wBagItems BYTES(0xD31E)
#define wPlayerMoney BYTES(0xD347)
#define wRivalName BYTES(0xD34A)
#define wOptions BYTE(0xD355)
#define wObtainedBadges BYTE(0xD356)
#define wLetterPrintingDelayFlags BYTE(0xD358)
#define LETTER_DELAY_BY_OPTION 0x01
#define LETTER_DELAY_ON 0x02
#define wPlayerID BYTES(0xD359)
#define wNumBoxItems BYTE(0xD53A)
#define wBoxItems BYTES(0xD53B)
#define wLastBlackoutMap BYTE(0xD719)
#define wPlayTimeHours BYTE(0xDA41)
#define wPlayTimeMaxed BYTE(0xDA42)
#define wPlayTimeMinutes BYTE(0xDA43)
#define wPlayTimeSeconds BYTE(0xDA44)
#define wPlayTimeFrames BYTE(0xDA45)
#define wBoxCount BYTE(0xDA80)
#define wBoxSpecies BYTES(0xDA81)

/* Everything a new game starts from zero lies between these two. */
#define NEW_GAME_FIRST 0xD158
#define NEW_GAME_END 0xDEE2

/* Flags. */
#define wStatusFlags3 BYTE(0xD72D)
#define wStatusFlags5 BYTE(0xD730)
#define STATUS5_AFTER_WARP 0x06
#define STATUS5_NO_JOYPAD 0x20
#define STATUS5_NO_TEXT_DELAY 0x40
#define STATUS5_SCRIPTED_WALK 0x80
#define wStatusFlags6 BYTE(0xD732)
#define STATUS6_TIMER 0x01
#define wMovementFlags BYTE(0xD736)
#define MOVEMENT_ON_DOOR 0x01
#define MOVEMENT_LEAVING_DOOR 0x02
#define MOVEMENT_ON_WARP 0x04

/* High RAM. */
#define hTextID HIGH_BYTE(0xFF8C)
#define hSCX HIGH_BYTE(0xFFAE)
#define hSCY HIGH_BYTE(0xFFAF)
#define hWY HIGH_BYTE(0xFFB0)
#define WINDOW_HIDDEN 0x90
#define hJoyLast HIGH_BYTE(0xFFB1)
#define hJoyReleased HIGH_BYTE(0xFFB2)
#define hJoyPressed HIGH_BYTE(0xFFB3)
#define hJoyHeld HIGH_BYTE(0xFFB4)
#define hJoy5 HIGH_BYTE(0xFFB5)
#define hJoy6 HIGH_BYTE(0xFFB6)
#define hJoy7 HIGH_BYTE(0xFFB7)
#define hAutoBGTransferEnabled HIGH_BYTE(0xFFBA)
#define hAutoBGTransferPortion HIGH_BYTE(0xFFBB)
#define hAutoBGTransferDest WORD(0xFFBC)
#define hRedrawRowOrColumnMode HIGH_BYTE(0xFFD0)
#define REDRAW_COLUMNS 1
#define REDRAW_ROWS 2
#define hRedrawRowOrColumnDest WORD(0xFFD1)
#define hRandomAdd HIGH_BYTE(0xFFD3)
#define hRandomSub HIGH_BYTE(0xFFD4)
#define hFrameCounter HIGH_BYTE(0xFFD5)
#define hTileAnimations HIGH_BYTE(0xFFD7)
#define hMapROMBank HIGH_BYTE(0xFFE8)
#define hWhoseTurn HIGH_BYTE(0xFFF3)
#define hUILayoutFlags HIGH_BYTE(0xFFF6)
#define UI_SINGLE_SPACED 0x02
#define hJoyInput HIGH_BYTE(0xFFF8)

#endif
