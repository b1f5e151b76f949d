import Foundation
import MailCore

/// What a token endpoint grants (RFC 6749 §5.1).
package struct TokenGrant: Sendable, Equatable {
  package var accessToken: Secret
  /// Nil where the one that was used stays good, or none is given.
  package var refreshToken: Secret?
  /// Seconds from now.
  package var lifetime: Int64

  /// Where the server does not say how long a token lives; if it is less, the mail server will tell.
  static let usualLifetime: Int64 = 3600
  /// Nobody grants more; a number beyond it is a mistake.
  static let longestLifetime: Int64 = 30 * 86_400

  /// Reads a token endpoint's answer, granted or refused.
  ///
  /// - Parameter secrets: what was sent, to be kept out of the server's words.
  /// - Throws: a text that says what is wrong with an answer that is neither.
  package static func read(_ body: [UInt8], hiding secrets: [Secret] = []) throws(Malformed)
    -> Result<TokenGrant, OAuthRefusal>
  {
    let answer: Answer
    do {
      answer = try Self.decoder.decode(Answer.self, from: Data(body))
    } catch {
      throw .noObject
    }
    if let code = answer.error {
      return .failure(
        OAuthRefusal(code: code, words: answer.errorDescription, hiding: secrets))
    }
    guard let access = answer.accessToken else { throw .noAccessToken }
    if let kind = answer.tokenType, kind.lowercased() != "bearer" {
      throw .unusableKind
    }
    let refresh = answer.refreshToken.flatMap { $0.isEmpty ? nil : $0 }
    guard isToken(access), refresh.map(isToken) ?? true else {
      throw .badCharacters
    }
    return .success(
      TokenGrant(
        accessToken: Secret(access), refreshToken: refresh.map { Secret($0) },
        lifetime: answer.expiresIn?.seconds ?? usualLifetime))
  }

  static var decoder: JSONDecoder {
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    return decoder
  }

  /// VSCHAR of RFC 6749 appendix A, without the blank.
  static func isToken(_ text: String) -> Bool {
    !text.isEmpty && text.utf8.count <= 16 << 10
      && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
  }

  /// What is wrong with an answer of a token endpoint or a device endpoint; words of ours alone.
  package enum Malformed: Error, Equatable {
    case noObject, noAccessToken, unusableKind, badCharacters, noUserCode

    var words: String {
      switch self {
      case .noObject: "it is no JSON object"
      case .noAccessToken: "it holds no access token"
      case .unusableKind: "its token is of a kind nobody can use here"
      case .badCharacters: "its token holds characters that none may have"
      case .noUserCode: "it holds no code to enter"
      }
    }
  }

  private struct Answer: Decodable {
    var accessToken: String?
    var refreshToken: String?
    var tokenType: String?
    var expiresIn: Seconds?
    var error: String?
    var errorDescription: String?
  }
}

/// A number of seconds as servers write it: whole, with a fraction, or as a text. What is none is no value.
struct Seconds: Decodable, Equatable {
  let seconds: Int64?

  init(from decoder: any Decoder) throws {
    let value = try decoder.singleValueContainer()
    var number = try? value.decode(Double.self)
    if number == nil, let text = try? value.decode(String.self) { number = Double(text) }
    guard let number, number.isFinite else {
      seconds = nil
      return
    }
    seconds = Int64(min(max(number, 0), Double(TokenGrant.longestLifetime)))
  }
}
