/// Answers that several questions take.
enum Answers {
  static func yes(_ text: String) throws(AnswerFault) -> Bool {
    switch text.lowercased() {
    case "y", "yes": true
    case "n", "no": false
    default: throw .neitherYesNorNo
    }
  }

  /// One of two or three ways that the question names.
  static func choice(_ text: String, of count: Int) throws(AnswerFault) -> Int {
    guard let number = number(text, upTo: count) else { throw .noChoice(of: count) }
    return number
  }

  /// `1` to `count`.
  static func number(_ text: String, upTo count: Int) -> Int? {
    guard let number = Int(text), number >= 1, number <= count else { return nil }
    return number
  }

  static func something(_ text: String) throws(AnswerFault) -> String {
    guard !text.isEmpty else { throw .nothing }
    return text
  }
}
