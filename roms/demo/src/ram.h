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
#define wFieldMoves BYTES(0xCD3D)
#define FIELD_MOVES 4
#define wFlyLocationsList BYTES(0xCD3E)
#define wNumFieldMoves BYTE(0xCD41)
#define wFieldMovesLeftmostX BYTE(0xCD42)
#define wCutTile BYTE(0xCD4D)
#define wOptionsTextSpeedCursorX BYTE(0xCD3D)
#define wListPointer WORD(0xCF8B)
#define wCurItem BYTE(0xCF91)
#define wWhichPokemon BYTE(0xCF92)
#define wListMenuID BYTE(0xCF94)
#define wItemQuantity BYTE(0xCF96)
#define wMaxItemQuantity BYTE(0xCF97)
#define wTextBoxID BYTE(0xD125)
#define wListCount BYTE(0xD12A)
#define wTwoOptionMenuID BYTE(0xD12C)
#define wChosenMenuItem BYTE(0xD12D)
#define wMenuExitMethod BYTE(0xD12E)
#define LIST_MONS 0
#define LIST_ITEMS 3
#define LIST_SPECIAL 4

/* Input. */
#define wSimulatedJoypadStates BYTES(0xCCD3)
#define wSimulatedJoypadIndex BYTE(0xCD38)
#define wJoyIgnore BYTE(0xCD6B)
#define wNameBuffer BYTES(0xCD6D)
#define wIgnoreInputCounter BYTE(0xD13A)

/* Encounters and scenes. */
#define wNPCMovementScript BYTE(0xCC57)
#define wElevatorWarpMaps BYTES(0xCC5B)
#define wEngagedTrainerClass BYTE(0xCD2D)
#define wEngagedTrainerSet BYTE(0xCD2E)
#define wNPCNumScriptedSteps BYTE(0xCF0F)
#define wEndBattleTextBank BYTE(0xD092)
#define wNumberOfNoRandomBattleStepsLeft BYTE(0xD13C)
#define wOaksLabCurScript BYTE(0xD5F0)
#define wPalletTownCurScript BYTE(0xD5F1)
#define wViridianCityCurScript BYTE(0xD5F4)
#define PEWTER_GYM_SCRIPT 0xD5FC
#define wPewterGymCurScript BYTE(PEWTER_GYM_SCRIPT)
#define CERULEAN_GYM_SCRIPT 0xD5FD
#define wVermilionGymCurScript BYTE(0xD5FE)
#define CELADON_GYM_SCRIPT 0xD5FF
#define wViridianMartCurScript BYTE(0xD60D)
#define wNumHoFTeams BYTE(0xD5A2)
#define wSafariZoneGateCurScript BYTE(0xD61F)
#define wRoute24CurScript BYTE(0xD602)
#define wRoute16CurScript BYTE(0xD626)
#define wPokemonTower6FCurScript BYTE(0xD62F)
#define wHallOfFameCurScript BYTE(0xD64B)
#define wLoreleisRoomCurScript BYTE(0xD64D)
#define wBrunosRoomCurScript BYTE(0xD64E)
#define wAgathasRoomCurScript BYTE(0xD64F)
#define wLancesRoomCurScript BYTE(0xD653)
#define wRoute7GateCurScript BYTE(0xD663)
#define wSafariSteps BYTES(0xD70D)
#define wFossilItem BYTE(0xD70F)
#define wFossilMon BYTE(0xD710)
#define wSilphCo2FCurScript BYTE(0xD643)
#define CINNABAR_GYM_SCRIPT 0xD65E
#define wCinnabarGymCurScript BYTE(CINNABAR_GYM_SCRIPT)
#define wEnemyMonOrTrainerClass BYTE(0xD713)
#define wRivalStarter BYTE(0xD715)
#define wPlayerStarter BYTE(0xD717)
#define wEventFlags BYTES(0xD747)
#define wGrassRate BYTE(0xD887)
#define wGrassMons BYTES(0xD888)
#define wWaterRate BYTE(0xD8A4)
#define wWaterMons BYTES(0xD8A5)
#define WILD_SLOTS_SIZE 20
#define wTrainerHeaderPtr BYTES(0xDA30)

/* Movement and map. */
#define wStandingOnWarpPadOrHole BYTE(0xCD5B)
#define ON_WARP_PAD 1
#define wGymTrashCanIndex BYTE(0xCD5B)
#define wMiscFlags BYTE(0xCD60)
#define MISC_SEEN_BY_TRAINER 0x01
#define MISC_BOULDER_DUST 0x02
#define MISC_TURNING 0x04
#define MISC_TRIED_BOULDER 0x40
#define MISC_PUSHED_BOULDER 0x80
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
#define wLoneAttackNo BYTE(0xD05C)
#define wEscapedFromBattle BYTE(0xD078)
#define wSaveFileStatus BYTE(0xD088)
#define wCurrentMapScriptFlags BYTE(0xD126)
#define ELEVATOR_USED 0x80
#define wStepCounter BYTE(0xD13B)
#define wMapPalOffset BYTE(0xD35D)
#define DARK 6
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
#define wToggleableObjectFlags BYTES(0xD5A6)
#define wToggleableObjectList BYTES(0xD5CE)
#define wWarpedFromWhichWarp BYTE(0xD73B)
#define wWarpedFromWhichMap BYTE(0xD73C)
#define wCardKeyDoorY BYTE(0xD73F)
#define wCardKeyDoorX BYTE(0xD740)
#define wFirstLockTrashCanIndex BYTE(0xD743)
#define wSecondLockTrashCanIndex BYTE(0xD744)

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
#define wTownVisitedFlag BYTES(0xD70B)
#define wLastBlackoutMap BYTE(0xD719)
#define wDestinationMap BYTE(0xD71A)
#define wPlayTimeHours BYTE(0xDA41)
#define wPlayTimeMaxed BYTE(0xDA42)
#define wPlayTimeMinutes BYTE(0xDA43)
#define wPlayTimeSeconds BYTE(0xDA44)
#define wPlayTimeFrames BYTE(0xDA45)
#define wSafariZoneGameOver BYTE(0xDA46)
#define wNumSafariBalls BYTE(0xDA47)

/* Everything a new game starts from zero lies between these two. */
#define NEW_GAME_FIRST 0xD158
#define NEW_GAME_END 0xDEE2

/* Ways of getting along. */
#define wWalkBikeSurfState BYTE(0xD700)
enum { WALKING, CYCLING, SURFING };
#define wBoulderSpriteIndex BYTE(0xD718)
#define wDungeonWarpDestinationMap BYTE(0xD71D)
#define wWhichDungeonWarp BYTE(0xD71E)

/* Flags. */
#define wStatusFlags1 BYTE(0xD728)
#define STATUS1_STRENGTH 0x01
#define wBeatGymFlags BYTE(0xD72A)
#define BADGE_1 0x01
#define wStatusFlags1 BYTE(0xD728)
#define STATUS1_GUARDS_DRANK 0x40
#define BADGE_2 0x02
#define BADGE_3 0x04
#define BADGE_4 0x08
#define wStatusFlags2 BYTE(0xD72C)
#define STATUS2_COOLDOWN 0x01
#define wStatusFlags3 BYTE(0xD72D)
#define STATUS3_DUNGEON_WARP 0x10
#define wStatusFlags4 BYTE(0xD72E)
#define STATUS4_USED_CENTRE 0x04
#define STATUS4_GOT_GIFT 0x01
#define STATUS4_GOT_STARTER 0x08
#define STATUS4_NO_BATTLES 0x10
#define wStatusFlags5 BYTE(0xD730)
#define STATUS5_SCRIPTED_NPC 0x01
#define STATUS5_AFTER_WARP 0x06
#define STATUS5_NO_JOYPAD 0x20
#define STATUS5_NO_TEXT_DELAY 0x40
#define STATUS5_SCRIPTED_WALK 0x80
#define wStatusFlags6 BYTE(0xD732)
#define STATUS6_TIMER 0x01
#define wStatusFlags7 BYTE(0xD733)
#define STATUS7_TRAINER_BATTLE 0x08
#define wPlayerJumpingIndex BYTE(0xD714)
#define wMovementFlags BYTE(0xD736)
#define MOVEMENT_ON_DOOR 0x01
#define MOVEMENT_LEAVING_DOOR 0x02
#define MOVEMENT_ON_WARP 0x04
#define MOVEMENT_LEDGE 0x40
#define MOVEMENT_SPIN 0x80

/* Creatures: numbers of several bytes have the high one first. Offsets of the contract, so only bytes here. */
typedef struct {
    uint8_t species, hp[2], box_level, status, types[2], catch_rate, moves[4], trainer_id[2], experience[3];
    uint8_t stat_experience[10], dvs[2], pp[4], level, max_hp[2], stats[8];
} PartyMon;

typedef struct {
    uint8_t species, hp[2], position, status, types[2], catch_rate, moves[4], dvs[2], level, max_hp[2], stats[8], pp[4];
} BattleMon;

/* Base data of a species; byte 0 is its number once loaded. */
typedef struct {
    uint8_t species, stats[5], types[2], catch_rate, experience, picture_size;
    uint16_t front_picture, back_picture;
    uint8_t moves[4], growth, machines[7], unused;
} MonHeader;

typedef struct {
    uint8_t id, effect, power, type, accuracy, pp;
} Move;

/* What a stat is without stages, burn and paralysis: level, greatest HP, and the four in the order of BattleMon. */
typedef struct {
    uint8_t level, max_hp[2], stats[8];
} Unmodified;

#define PARTY_SIZE 6
#define NO_MON 0xFF
#define wPartyMons ((PartyMon *)0xD16B)
#define wPartyMonOT BYTES(0xD273)
#define wPartyMonNicks BYTES(0xD2B5)
#define wPokedexOwned BYTES(0xD2F7)
#define wPokedexSeen BYTES(0xD30A)
#define wMonHeader (*(MonHeader *)0xD0B8)
#define wLoadedMon (*(PartyMon *)0xCF98)
#define wStringBuffer BYTES(0xCF4B)
#define wCurPartySpecies BYTE(0xCF91)
#define wLearnMoveMonName BYTES(0xD036)
#define wPartyMenuType BYTE(0xD07D)
enum { PARTY_MENU_NORMAL, PARTY_MENU_ITEM, PARTY_MENU_BATTLE, PARTY_MENU_TEACH, PARTY_MENU_SWAP };
#define wForcePlayerToChooseMon BYTE(0xD11F)
#define wPartySavedMenuItem BYTE(0xCC2B)

enum { STATUS_SLEEP = 0x07, STATUS_POISON = 0x08, STATUS_BURN = 0x10, STATUS_FREEZE = 0x20, STATUS_PARALYSIS = 0x40 };
enum { ATTACK, DEFENSE, SPEED, SPECIAL, ACCURACY, EVASION };

/* Things. */
#define LIST_PRICED_ITEMS 2
#define wHPBarHPDifference BYTES(0xCEFD)
#define wItemList BYTES(0xCF7B)
#define wPrintItemPrices BYTE(0xCF93)
#define wItemQuantity BYTE(0xCF96)
#define wObtainedHiddenItemsFlags BYTES(0xD6F0)
#define wRepelRemainingSteps BYTE(0xD0DB)
#define wItemListPointer WORD(0xD128)
#define hHalveItemPrices HIGH_BYTE(0xFF8E)
#define hMoney BYTES(0xFF9F)
#define MONEY_SIZE 3

/* Battles. */
#define wPlayerMoveListIndex BYTE(0xCC2E)
#define wPlayerMonNumber BYTE(0xCC2F)
#define wPlayerSelectedMove BYTE(0xCCDC)
#define wEnemySelectedMove BYTE(0xCCDD)
#define wEnemyMoveListIndex BYTE(0xCCE2)
#define wInHandlePlayerMonFainted BYTE(0xCCF0)
#define wPlayerUsedMove BYTE(0xCCF1)
#define wEnemyUsedMove BYTE(0xCCF2)
#define wPartyFoughtCurrentEnemyFlags BYTE(0xCCF5)
#define wPlayerMonUnmodified (*(Unmodified *)0xCD0F)
#define wPlayerMonStatMods BYTES(0xCD1A)
#define wEnemyMonUnmodified (*(Unmodified *)0xCD23)
#define wEnemyMonStatMods BYTES(0xCD2E)
#define STAT_MODS 6
#define NEUTRAL_STAGE 7
#define wActionResultOrTookBattleTurn BYTE(0xCD6A)
#define wNumMovesMinusOne BYTE(0xCD6C)
#define wBattleResult BYTE(0xCF0B)
enum { BATTLE_WON, BATTLE_LOST, BATTLE_LEFT };
#define wEnemyMove (*(Move *)0xCFCC)
#define wPlayerMove (*(Move *)0xCFD2)
#define wEnemyMonSpecies2 BYTE(0xCFD8)
#define wBattleMonSpecies2 BYTE(0xCFD9)
#define wEnemyMon (*(BattleMon *)0xCFE5)
#define wEnemyMonBaseStats BYTES(0xD002)
#define wEnemyMonActualCatchRate BYTE(0xD007)
#define wEnemyMonBaseExp BYTE(0xD008)
#define wBattleMon (*(BattleMon *)0xD014)
#define wTrainerClass BYTE(0xD031)
#define wTrainerBaseMoney BYTES(0xD046)
#define wTrainerName BYTES(0xD04A)
#define TRAINER_NAME_SIZE 13
enum { IN_NO_BATTLE = 0, IN_WILD_BATTLE = 1, IN_TRAINER_BATTLE = 2, LOST_BATTLE = 0xFF };
#define wPartyGainExpFlags BYTE(0xD058)
#define wCurOpponent BYTE(0xD059)
#define FIRST_TRAINER 200
#define wBattleType BYTE(0xD05A)
enum { NORMAL_BATTLE = 0, SAFARI_BATTLE = 2 };
#define wSafariEscapeFactor BYTE(0xCCE8)
#define wSafariBaitFactor BYTE(0xCCE9)
#define wDamageMultipliers BYTE(0xD05B)
#define NORMAL_DAMAGE 10
#define SAME_TYPE_BONUS 0x80
#define wTrainerNo BYTE(0xD05D)
#define wCriticalHitOrOHKO BYTE(0xD05E)
#define wMoveMissed BYTE(0xD05F)
#define wPlayerBattleStatus BYTES(0xD062)
#define wEnemyBattleStatus BYTES(0xD067)
/* Of the first of three bytes, the second, and the third. */
enum {
    BIDING = 0x01, THRASHING = 0x02, HITTING_AGAIN = 0x04, FLINCHED = 0x08,
    CHARGING = 0x10, TRAPPING = 0x20, INVULNERABLE = 0x40, CONFUSED = 0x80
};
enum {
    ALWAYS_HITS = 0x01, MISTY = 0x02, FOCUSED = 0x04, HAS_SUBSTITUTE = 0x10,
    RECHARGING = 0x20, RAGING = 0x40, SEEDED = 0x80
};
enum { BADLY_POISONED = 0x01, LIGHT_SCREEN = 0x02, REFLECT = 0x04 };

/* What is left of what lasts some turns. `disabled` has the slot from 1 high, the turns low. */
typedef struct {
    uint8_t attacks_left, confused, toxic, disabled;
} Counters;
#define wPlayerCounters (*(Counters *)0xD06A)
#define wEnemyCounters (*(Counters *)0xD06F)
#define wPlayerBideDamage BYTES(0xD074)
#define wEnemyBideDamage BYTES(0xCD05)
#define wPlayerSubstituteHP BYTE(0xCCD7)
#define wEnemySubstituteHP BYTE(0xCCD8)
#define wPlayerDisabledMoveNumber BYTE(0xCCEE)
#define wEnemyDisabledMoveNumber BYTE(0xCCEF)
#define wAILayer2Encouragement BYTE(0xCCD5)
#define wAICount BYTE(0xCCDF)
#define wAmountMoneyWon BYTES(0xD079)
#define wLowHealthAlarm BYTE(0xD083)
#define ALARM_ON 0x80
#define wEndBattleWinTextPointer WORD(0xD08C)
#define wEndBattleLoseTextPointer WORD(0xD08E)
#define wDamage BYTES(0xD0D7)
#define wMoveNum BYTE(0xD0E0)
#define wCanEvolveFlags BYTE(0xCCD3)
#define wEvoOldSpecies BYTE(0xCEE9)
#define wEvoNewSpecies BYTE(0xCEEA)
#define wEvoCancelled BYTE(0xCEEC)
#define wEvolutionOccurred BYTE(0xD121)
#define wFirstMonsNotOutYet BYTE(0xD11D)
#define wNumRunAttempts BYTE(0xD120)
#define wCurEnemyLevel BYTE(0xD127)
#define wEnemyPartyCount BYTE(0xD89C)
#define wEnemyPartySpecies BYTES(0xD89D)
#define wEnemyMons ((PartyMon *)0xD8A4)

/* The current box: structures are the first 33 bytes of a PartyMon. */
#define wCurrentBoxNum BYTE(0xD5A0)
#define BOXES_IN_USE 0x80
#define BOX_NUMBER 0x7F
#define BOXES 12
#define wBoxData BYTES(0xDA80)
#define BOX_DATA_SIZE 0x462
#define wBoxCount BYTE(0xDA80)
#define wBoxSpecies BYTES(0xDA81)
#define wBoxMons BYTES(0xDA96)
#define wBoxMonOT BYTES(0xDD2A)
#define wBoxMonNicks BYTES(0xDE06)
#define BOX_SIZE 20
#define BOX_MON_SIZE 33

/* Catching and naming. */
#define wNamingScreenNameLength BYTE(0xCEE9)
#define wNamingScreenSubmitName BYTE(0xCEEA)
#define wAlphabetCase BYTE(0xCEEB)
#define wNamingScreenType BYTE(0xD07D)
enum { NAME_OF_PLAYER, NAME_OF_RIVAL, NAME_OF_MON };
#define wCapturedMonSpecies BYTE(0xD11C)
#define wPokeBallAnimData BYTE(0xD11E)

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
enum { PLAYERS_TURN, ENEMYS_TURN };
#define hUILayoutFlags HIGH_BYTE(0xFFF6)
#define UI_SINGLE_SPACED 0x02
#define hFieldMoveMenuX HIGH_BYTE(0xFFF7)
#define hJoyInput HIGH_BYTE(0xFFF8)

#endif
