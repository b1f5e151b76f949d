import MIME

extension RawHeader {
  /// Without angle brackets, in the one form in which the queue has it.
  var messageID: String? {
    first("Message-ID").flatMap { field in
      Array(field.value).withUnsafeBytes { MessageIDs.messageID($0) }
    }
  }

  /// A field's value without folds, its words apart by one blank.
  func unfolded(_ name: String) -> String? {
    first(name).map { Self.unfolded(String(decoding: $0.value, as: UTF8.self)) }
  }

  static func unfolded(_ text: String) -> String {
    text.unicodeScalars.split { $0 == " " || $0 == "\t" || $0 == "\n" }.map { String($0) }
      .joined(separator: " ")
  }
}
