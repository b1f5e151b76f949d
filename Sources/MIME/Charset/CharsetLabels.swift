/// Labels of the WHATWG Encoding Standard §4.2 and those mail adds, each with its charset.
enum CharsetLabels {
  /// Returns the charset of a label; blanks and quotes around it do not count, nor what follows a blank or `;`.
  static func charset(_ label: UnsafeRawBufferPointer) -> Charset? {
    var hash = fnvStart
    var isEmpty = true
    for byte in label.prefix(64) {
      switch byte {
      case UInt8(ascii: "A")...UInt8(ascii: "Z"): hash = mixed(hash, byte | 0x20)
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"):
        hash = mixed(hash, byte)
      case UInt8(ascii: " "), UInt8(ascii: ";"), UInt8(ascii: ","), 9, 10, 13:
        if isEmpty { continue }
        return byHash[hash]
      default: continue
      }
      isEmpty = false
    }
    return isEmpty ? nil : byHash[hash]
  }

  /// From the hash of a label's letters and digits (FNV-1a): a look-up per part must not allocate.
  private static let byHash: [UInt64: Charset] = {
    var table: [UInt64: Charset] = [:]
    for (charset, labels) in known {
      for label in labels.split(separator: " ") {
        table[label.utf8.reduce(fnvStart, mixed)] = charset
      }
    }
    return table
  }()

  private static let fnvStart: UInt64 = 0xCBF2_9CE4_8422_2325

  private static func mixed(_ hash: UInt64, _ byte: UInt8) -> UInt64 {
    (hash ^ UInt64(byte)) &* 0x100_0000_01B3
  }

  private static func single(_ name: String, _ iconvNames: String...) -> Charset {
    Charset(name, .singleByte, iconvNames)
  }

  private static func multi(_ name: String, _ iconvNames: String...) -> Charset {
    Charset(name, .multiByte, iconvNames)
  }

  private static let known: [(Charset, String)] = unicode + western + latin + other + eastAsian

  private static let unicode: [(Charset, String)] = [
    (.utf8, "utf8 unicode11utf8 unicode20utf8 xunicode20utf8 utf8mac cp65001 utf8bom xutf8 utf8n"),
    (Charset("utf-16be", .utf16(bigEndian: true)), "utf16be unicodefffe ucs2be"),
    (Charset("utf-16le", .utf16(bigEndian: false)), "utf16le unicodefeff ucs2le"),
    (.utf16, "utf16 ucs2 unicode csunicode iso10646ucs2 utf16ne"),
    (
      Charset("utf-7", .stateful, ["UTF-7"]),
      "utf7 unicode11utf7 xunicode20utf7 csunicode11utf7 cp65000"
    ),
    (Charset("utf-32", .stateful, ["UTF-32"]), "utf32 ucs4 iso10646ucs4"),
    (
      Charset("unknown-8bit", .unknown),
      "unknown8bit xunknown unknown 8bit 7bit none default defaultcharset csunknown8bit binary xuserdefined"
    ),
  ]

  private static let western: [(Charset, String)] = [
    (
      .ascii,
      """
      usascii ascii ansix341968 ansix341986 iso646us isoir6 us cp367 ibm367 csascii iso646irv1991 xascii usacsii en \
      ascii8bit
      """
    ),
    (
      .windows1252,
      """
      windows1252 cp1252 xcp1252 win1252 ansi iso88591 88591 iso8859 iso885911987 isolatin1 isoir100 csisolatin1 \
      latin1 l1 cp819 ibm819 xiso88591 iso88591windows30latin1 cswindows30latin1 isolatin
      """
    ),
    (
      single("macintosh", "MACINTOSH", "MACROMAN"),
      "macintosh mac xmacroman csmacintosh macroman xmaccroatian"
    ),
    (single("ibm437", "CP437"), "cp437 ibm437 437 cspc8codepage437"),
    (single("ibm850", "CP850"), "cp850 ibm850 850 cspc850multilingual"),
    (single("ibm852", "CP852"), "cp852 ibm852 852"),
    (single("ibm858", "CP858", "CP850"), "cp858 ibm858 858 ibm00858"),
    (single("ibm866", "CP866"), "866 cp866 csibm866 ibm866"),
  ]

  private static let latin: [(Charset, String)] = [
    (
      single("iso-8859-2", "ISO-8859-2"),
      "iso88592 88592 iso885921987 isoir101 csisolatin2 l2 latin2"
    ),
    (single("iso-8859-3", "ISO-8859-3"), "iso88593 iso885931988 isoir109 csisolatin3 l3 latin3"),
    (single("iso-8859-4", "ISO-8859-4"), "iso88594 iso885941988 isoir110 csisolatin4 l4 latin4"),
    (
      single("iso-8859-5", "ISO-8859-5"),
      "iso88595 iso885951988 isoir144 csisolatincyrillic cyrillic"
    ),
    (
      single("iso-8859-6", "ISO-8859-6"),
      "iso88596 iso885961987 isoir127 csisolatinarabic arabic asmo708 ecma114 csiso88596e csiso88596i iso88596e iso88596i"
    ),
    (
      single("iso-8859-7", "ISO-8859-7"),
      "iso88597 iso885971987 isoir126 csisolatingreek greek greek8 ecma118 elot928 suneugreek"
    ),
    (
      single("iso-8859-8", "ISO-8859-8"),
      """
      iso88598 iso885981988 isoir138 csisolatinhebrew hebrew visual csiso88598e iso88598e csiso88598i iso88598i logical
      """
    ),
    (single("iso-8859-10", "ISO-8859-10"), "iso885910 isoir157 csisolatin6 l6 latin6"),
    (single("iso-8859-13", "ISO-8859-13"), "iso885913 latin7 l7"),
    (single("iso-8859-14", "ISO-8859-14"), "iso885914 latin8 l8"),
    (single("iso-8859-15", "ISO-8859-15"), "iso885915 csisolatin9 l9 latin9 iso885915fdis latin0"),
    (single("iso-8859-16", "ISO-8859-16"), "iso885916 latin10 l10"),
  ]

  private static let other: [(Charset, String)] = [
    (single("windows-1250", "CP1250"), "windows1250 cp1250 xcp1250 win1250"),
    (single("windows-1251", "CP1251"), "windows1251 cp1251 xcp1251 win1251"),
    (single("windows-1253", "CP1253"), "windows1253 cp1253 xcp1253 win1253"),
    (
      single("windows-1254", "CP1254"),
      "windows1254 cp1254 xcp1254 win1254 iso88599 iso885991989 isoir148 csisolatin5 l5 latin5"
    ),
    (single("windows-1255", "CP1255"), "windows1255 cp1255 xcp1255 win1255"),
    (single("windows-1256", "CP1256"), "windows1256 cp1256 xcp1256 win1256"),
    (single("windows-1257", "CP1257"), "windows1257 cp1257 xcp1257 win1257"),
    // Vietnamese composes across bytes, so no table of single characters would do.
    (Charset("windows-1258", .stateful, ["CP1258"]), "windows1258 cp1258 xcp1258 win1258"),
    (Charset("tcvn", .stateful, ["TCVN", "TCVN5712-1"]), "tcvn tcvn5712 tcvn57121 xviettcvn"),
    (single("viscii", "VISCII"), "viscii csviscii xvietviscii"),
    (
      single("windows-874", "CP874", "TIS-620"),
      "windows874 cp874 dos874 iso885911 tis620 xwindows874"
    ),
    (single("koi8-r", "KOI8-R"), "koi8r koi koi8 cskoi8r xkoi8r"),
    (single("koi8-u", "KOI8-U"), "koi8u koi8ru xkoi8u"),
    (
      single("x-mac-cyrillic", "MAC-CYRILLIC", "MACCYRILLIC"),
      "xmaccyrillic xmacukrainian maccyrillic"
    ),
  ]

  private static let eastAsian: [(Charset, String)] = [
    (
      multi("gb18030", "GB18030", "GBK"),
      """
      gb18030 gbk xgbk cp936 ms936 windows936 gb2312 xgb2312 gb231280 csgb2312 csgbk csiso58gb231280 chinese isoir58 \
      euccn eucgb2312cn xeuccn cngb gb231280x gb2312000 gbk2312
      """
    ),
    (
      multi("big5", "BIG5-HKSCS", "BIG5HKSCS", "CP950", "BIG5"),
      "big5 big5hkscs cnbig5 csbig5 xxbig5 xbig5 cp950 windows950 big5eten"
    ),
    (multi("euc-tw", "EUC-TW"), "euctw xeuctw"),
    (
      multi("euc-jp", "EUC-JP-MS", "CP51932", "EUC-JP"),
      "eucjp xeucjp cseucpkdfmtjapanese ujis xeuc eucjpms cp51932"
    ),
    (
      multi("shift_jis", "CP932", "SHIFT_JIS"),
      "shiftjis sjis xsjis csshiftjis ms932 mskanji windows31j cswindows31j cp932 xmscp932 cp943 windows932 xshiftjis"
    ),
    (
      multi("euc-kr", "CP949", "UHC", "EUC-KR"),
      """
      euckr cseuckr csksc56011987 isoir149 korean ksc56011987 ksc56011989 ksc5601 ksc56011992 ks windows949 cp949 \
      ms949 uhc xwindows949 xuhc xifhclkorean
      """
    ),
    (multi("johab", "JOHAB"), "johab cp1361 ms1361"),
    (
      .iso2022JP,
      "iso2022jp csiso2022jp iso2022jp1 iso2022jpms iso2022jpext cp50220 cp50221 cp50222 xiso2022jp junet jis"
    ),
    (Charset("iso-2022-jp-2", .stateful, ["ISO-2022-JP-2"]), "iso2022jp2 csiso2022jp2"),
    (Charset("iso-2022-jp-3", .stateful, ["ISO-2022-JP-3"]), "iso2022jp3 iso2022jp2004"),
    (Charset("iso-2022-kr", .stateful, ["ISO-2022-KR"]), "iso2022kr csiso2022kr"),
    (
      Charset("iso-2022-cn", .stateful, ["ISO-2022-CN-EXT", "ISO-2022-CN"]),
      "iso2022cn iso2022cnext csiso2022cn"
    ),
    (Charset("hz-gb-2312", .hz, ["GB18030", "GBK"]), "hzgb2312 hz hzgb xhz"),
  ]
}
