// The languages, calendars and zones of the world are half of a program that has Foundation inside, and nothing here asks for them.
// This is the table of ICU's data with no entry, in the form of ICU's own stubdata; the linker takes it before Foundation's.
// A toolchain with another version of ICU has another name for it: then this is not used, and the program is larger.
#ifdef STANDALONE
#include <stdint.h>

struct EmptyTable {
  uint16_t headerSize;
  uint8_t magic[2];
  uint16_t infoSize;
  uint16_t reservedWord;
  uint8_t isBigEndian, charsetFamily, charSize, reservedByte;
  uint8_t dataFormat[4], formatVersion[4], dataVersion[4];
  uint8_t padding[8];
  uint32_t count;
  uint32_t padding2[3];
};

const struct EmptyTable icudt76_dat __attribute__((aligned(16))) = {
    .headerSize = 32,
    .magic = {0xda, 0x27},
    .infoSize = 20,
    .isBigEndian = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__,
    .charSize = 2,
    .dataFormat = {'C', 'm', 'n', 'D'},
    .formatVersion = {1},
    .dataVersion = {76, 1},
};
#endif
