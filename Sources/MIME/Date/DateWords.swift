/// Names of months and zones.
enum DateWords {
  /// By the first three letters of the English name, or a few of other languages.
  static func month(_ word: UnsafeRawBufferPointer) -> Int? {
    guard word.count >= 3 else { return nil }
    switch key(word) {
    case "jan", "ene", "gen": return 1
    case "feb", "fév", "fev": return 2
    case "mar", "mär", "mrz", "maa", "mrt": return 3
    case "apr", "abr", "avr": return 4
    case "may", "mai", "mei", "mag", "maj": return 5
    case "jun", "giu": return 6
    case "jul", "lug": return 7
    case "aug", "ago", "aoû", "aou": return 8
    case "sep", "set": return 9
    case "oct", "okt", "ott", "out": return 10
    case "nov": return 11
    case "dec", "dez", "dic", "déc": return 12
    case "jui": return word.count >= 4 && ASCII.lowered(word[3]) == UInt8(ascii: "l") ? 7 : 6
    default: return nil
    }
  }

  /// Minutes east of Greenwich (RFC 5322 §4.3 and some more); 0 for letters, whose sign mailers
  /// disagree on. Nil for other words.
  static func zone(_ word: UnsafeRawBufferPointer) -> Int? {
    guard word.count <= 4 else { return nil }
    switch String(decoding: word.lazy.map(ASCII.lowered), as: UTF8.self) {
    case "ut", "utc", "gmt", "z", "wet": return 0
    case "est": return -5 * 60
    case "edt": return -4 * 60
    case "cst": return -6 * 60
    case "cdt": return -5 * 60
    case "mst": return -7 * 60
    case "mdt": return -6 * 60
    case "pst": return -8 * 60
    case "pdt": return -7 * 60
    case "akst": return -9 * 60
    case "akdt": return -8 * 60
    case "hst": return -10 * 60
    case "ast": return -4 * 60
    case "adt": return -3 * 60
    case "nst": return -3 * 60 - 30
    case "ndt": return -2 * 60 - 30
    case "bst", "cet", "met", "mez", "west": return 60
    case "cest", "mest", "mesz", "eet", "sast": return 120
    case "eest", "msk": return 180
    case "msd": return 240
    case "hkt", "sgt", "awst": return 8 * 60
    case "jst", "kst": return 9 * 60
    case "acst": return 9 * 60 + 30
    case "aest": return 10 * 60
    case "acdt": return 10 * 60 + 30
    case "aedt": return 11 * 60
    case "nzst": return 12 * 60
    case "nzdt": return 13 * 60
    default: return nil
    }
  }

  /// The first three characters in lower case; those beyond ASCII as they are.
  private static func key(_ word: UnsafeRawBufferPointer) -> String {
    var key: [UInt8] = []
    var characters = 0
    for byte in word {
      if byte & 0xC0 != 0x80 { characters += 1 }
      if characters > 3 { break }
      key.append(ASCII.lowered(byte))
    }
    return String(decoding: key, as: UTF8.self)
  }
}
