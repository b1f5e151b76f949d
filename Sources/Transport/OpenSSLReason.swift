import COpenSSL

/// The thread's OpenSSL error queue as words; empties the queue.
enum OpenSSLReason {
  /// The first error is the cause, later ones its consequences.
  static func take() -> (code: Int32, words: String)? {
    let code = ERR_get_error()
    guard code != 0 else { return nil }
    ERR_clear_error()
    let words =
      ERR_reason_error_string(code).map { String(cString: $0) } ?? "error \(code)"
    return (mirror_err_reason(code), words)
  }
}
