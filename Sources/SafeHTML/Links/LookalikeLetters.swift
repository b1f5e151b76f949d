/// Letters of other scripts that look like Latin ones (after UTS 39, as far as names of hosts are imitated with them).
package enum LookalikeLetters {
  /// The Latin letter that a letter of another script looks like.
  package static func latin(_ scalar: Unicode.Scalar) -> Character? { table[scalar] }

  /// A text as it looks to who expects Latin letters; nil where that is the text itself.
  package static func latin(_ text: String) -> String? {
    guard text.utf8.contains(where: { $0 >= 0xCD }),
      text.unicodeScalars.contains(where: { table[$0] != nil })
    else { return nil }
    var latin = ""
    for scalar in text.unicodeScalars {
      if let letter = table[scalar] {
        latin.append(letter)
      } else {
        latin.unicodeScalars.append(scalar)
      }
    }
    return latin
  }

  private static let table: [Unicode.Scalar: Character] = {
    let pairs = """
      аa еe оo рp сc уy хx іi ѕs јj ԛq ԝw һh ԁd ӏl АA ВB ЕE КK МM НH ОO РP СC ТT УY ХX ІI ЅS ЈJ ԚQ ԜW ӀI αa οo νv ρp \
      υu ιi κk χx ΑA ΒB ΕE ΖZ ΗH ΙI ΚK ΜM ΝN ΟO ΡP ΤT ΥY ΧX օo սu հh ոn ցg յj ՕO ɡg ɑa ıi
      """
    var table: [Unicode.Scalar: Character] = [:]
    for pair in pairs.split(separator: " ") where pair.unicodeScalars.count == 2 {
      if let first = pair.unicodeScalars.first, let last = pair.last { table[first] = last }
    }
    return table
  }()
}
