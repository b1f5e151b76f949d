/// The words that mail programs put before the subject of a reply or a forward.
enum SubjectPrefixes {
  /// Behind the longest prefix word at `start`, or nil. ASCII letters are compared without case;
  /// others stand in the list as they are written, in the cases that occur.
  static func end(of bytes: [UInt8], from start: Int, to end: Int) -> Int? {
    guard start < end else { return nil }
    let first = ASCII.lowered(bytes[start])
    for word in byFirstByte[Int(first)] where end - start >= word.count {
      let isHere = zip(bytes[start..<start + word.count], word).allSatisfy {
        ASCII.lowered($0) == $1
      }
      if isHere { return start + word.count }
    }
    return nil
  }

  /// Longest first.
  private static let byFirstByte: [[[UInt8]]] = {
    var table = [[[UInt8]]](repeating: [], count: 256)
    for word in words.sorted(by: { $0.utf8.count > $1.utf8.count }) {
      let bytes = word.utf8.map(ASCII.lowered)
      table[Int(bytes[0])].append(bytes)
    }
    return table
  }()

  private static let words: [String] = [
    "re", "fw", "fwd", "forward",
    "aw", "antw", "antwort", "wg",  // German, Dutch
    "antwoord", "doorst", "betr",  // Dutch
    "sv", "vb", "vs", "vl", "vid", "vidarebefordrat",  // Swedish, Norwegian, Danish, Finnish
    "fs",  // Icelandic, Danish
    "ref", "rép", "RÉP", "réf", "tr", "trans",  // French
    "rv", "res", "enc",  // Spanish, Portuguese
    "r", "i", "rif",  // Italian
    "odp", "pd", "odg", "prosl",  // Polish, Czech, Slovene, Croatian
    "vá", "VÁ", "továbbítás",  // Hungarian
    "ynt", "ilt", "i̇lt", "İLT",  // Turkish
    "atb", "yml",  // Welsh
    "bls", "trs",  // Indonesian
    "ats",  // Lithuanian
    "tl", "trả lời", "chuyển tiếp",  // Vietnamese
    "απ", "ΑΠ", "Απ", "σχετ", "ΣΧΕΤ", "πρθ", "ΠΡΘ",  // Greek
    "отв", "ОТВ", "Отв", "ответ", "ОТВЕТ", "Ответ", "на", "НА", "Ha", "пер", "ПЕР", "пересл",
    "Пересл", "НАПР",  // Russian
    "השב", "תגובה", "הועבר",  // Hebrew
    "رد", "إعادة توجيه",  // Arabic
    "回复", "回覆", "答复", "答覆", "回信", "转发", "轉寄", "轉發", "转寄",  // Chinese
    "返信", "転送",  // Japanese
    "회신", "답장", "전달",  // Korean
    "ตอบกลับ", "ตอบ", "ส่งต่อ",  // Thai
  ]
}
