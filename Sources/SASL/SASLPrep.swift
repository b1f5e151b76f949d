/// SASLprep (RFC 4013), the form in which both ends derive keys from names and passwords.
///
/// Unassigned code points pass, as the RFC has it for queries; normalisation is brought by the caller.
enum SASLPrep {
  struct Failure: Error, Equatable {
    let reason: String
  }

  static func prepare(_ text: String, compatibilityNormalised: (String) -> String)
    -> Result<String, Failure>
  {
    if text.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) { return .success(text) }
    var mapped = String.UnicodeScalarView()
    for scalar in text.unicodeScalars where !isMappedToNothing(scalar) {
      mapped.append(isOtherSpace(scalar) ? " " : scalar)
    }
    let prepared = compatibilityNormalised(String(mapped))
    for scalar in prepared.unicodeScalars {
      if let reason = prohibition(scalar) { return .failure(Failure(reason: reason)) }
    }
    guard isDirectionConsistent(prepared) else {
      return .failure(Failure(reason: "it mixes writing directions in a way SASLprep forbids"))
    }
    return .success(prepared)
  }

  // RFC 3454 table B.1.
  private static func isMappedToNothing(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0xAD, 0x34F, 0x1806, 0x180B...0x180D, 0x200B...0x200D, 0x2060, 0xFE00...0xFE0F, 0xFEFF:
      true
    default: false
    }
  }

  // RFC 3454 table C.1.2, without what B.1 removes first.
  private static func isOtherSpace(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0xA0, 0x1680, 0x2000...0x200A, 0x202F, 0x205F, 0x3000: true
    default: false
    }
  }

  // RFC 4013 §2.3: tables C.1.2 to C.9.
  private static func prohibition(_ scalar: Unicode.Scalar) -> String? {
    switch scalar.value {
    case 0..<0x20, 0x7F...0x9F, 0x6DD, 0x70F, 0x180E, 0x2028, 0x2029, 0x2061...0x2063,
      0x206A...0x206F, 0xFFF9...0xFFFC, 0x1D173...0x1D17A:
      "it contains a control character"
    case 0xE000...0xF8FF, 0xF0000...0xFFFFD, 0x100000...0x10FFFD: "it contains a private character"
    case 0xFDD0...0xFDEF: "it contains a character that is none"
    case let value where value & 0xFFFE == 0xFFFE: "it contains a character that is none"
    case 0xFFFD: "it contains the replacement character: it was damaged on its way here"
    case 0x2FF0...0x2FFB: "it contains an ideographic description character"
    case 0x340, 0x341, 0x200E, 0x200F, 0x202A...0x202E:
      "it contains a character that changes the writing direction"
    case 0xE0001, 0xE0020...0xE007F: "it contains a tag character"
    case let value where isOtherSpace(scalar) && value != 0x20: "it contains an unusual space"
    default: nil
    }
  }

  /// RFC 3454 §6, with the blocks of right-to-left scripts in place of table D.1's list.
  private static func isDirectionConsistent(_ text: String) -> Bool {
    let scalars = text.unicodeScalars
    guard scalars.contains(where: isRightToLeft) else { return true }
    guard let first = scalars.first, let last = scalars.last else { return true }
    return isRightToLeft(first) && isRightToLeft(last)
      && !scalars.contains { $0.properties.isAlphabetic && !isRightToLeft($0) && !isMark($0) }
  }

  private static func isRightToLeft(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x5BE...0x5F4, 0x61B...0x64A, 0x66D...0x66F, 0x671...0x6D5, 0x6E5, 0x6E6, 0x6EE, 0x6EF,
      0x6FA...0x710, 0x712...0x72F, 0x74D...0x7B1, 0xFB1D, 0xFB1F...0xFB28, 0xFB2A...0xFDFC,
      0xFE70...0xFEFC:
      true
    default: false
    }
  }

  private static func isMark(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark: true
    default: false
    }
  }
}
