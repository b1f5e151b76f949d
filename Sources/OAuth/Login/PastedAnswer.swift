import MailCore

/// What a person brought from the browser: the code alone, or the whole address where the browser ended.
enum PastedAnswer: Equatable {
  case code(Secret)
  case callback(CallbackRequest)

  init(_ text: String, state: String) {
    let text = text.drop(while: \.isWhitespace).prefix { !$0.isWhitespace }
    if let question = text.firstIndex(of: "?") {
      let query = text[text.index(after: question)...].prefix { $0 != "#" }
      self = .callback(CallbackRequest(query: query.utf8, state: state))
    } else {
      self = .code(Secret(String(text)))
    }
  }

  func code() throws(OAuthError) -> Secret {
    switch self {
    case .code(let code), .callback(.code(let code)):
      guard !code.isEmpty else { throw .nothingPasted }
      return code
    case .callback(.refused(let refusal)): throw OAuthError(refusal)
    case .callback: throw .nothingPasted
    }
  }
}
