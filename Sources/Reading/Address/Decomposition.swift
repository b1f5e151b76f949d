extension String {
  /// The scalars of Latin letters with their accents taken apart; other scripts as they are.
  ///
  /// By a table of the letters that European names have: the standard library keeps its normalisation to itself, and
  /// Foundation's costs more than the whole look-up.
  var decomposed: [Unicode.Scalar] {
    var scalars: [Unicode.Scalar] = []
    scalars.reserveCapacity(unicodeScalars.count)
    for scalar in unicodeScalars {
      if let letters = LatinLetters.plain[scalar] {
        scalars.append(contentsOf: letters)
      } else {
        scalars.append(scalar)
      }
    }
    return scalars
  }
}

/// Lower-case Latin letters with accents, each with the letters that people type for it.
private enum LatinLetters {
  static let plain: [Unicode.Scalar: [Unicode.Scalar]] = {
    var table: [Unicode.Scalar: [Unicode.Scalar]] = [:]
    for (letters, plain) in rows {
      for scalar in letters.unicodeScalars { table[scalar] = Array(plain.unicodeScalars) }
    }
    return table
  }()

  private static let rows: [(String, String)] = [
    ("àáâãäåāăą", "a"), ("çćĉċč", "c"), ("ďđð", "d"), ("èéêëēĕėęě", "e"), ("ĝğġģ", "g"),
    ("ĥħ", "h"), ("ìíîïĩīĭįı", "i"), ("ĵ", "j"), ("ķ", "k"), ("ĺļľŀł", "l"), ("ñńņňŉ", "n"),
    ("òóôõöøōŏő", "o"), ("ŕŗř", "r"), ("śŝşšș", "s"), ("ţťŧț", "t"), ("ùúûüũūŭůűų", "u"),
    ("ŵ", "w"), ("ýÿŷ", "y"), ("źżž", "z"), ("æ", "ae"), ("œ", "oe"), ("ß", "ss"), ("þ", "th"),
  ]
}
