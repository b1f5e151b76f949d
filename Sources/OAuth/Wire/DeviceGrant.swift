import Foundation
import MailCore

/// What a device endpoint answers (RFC 8628 §3.2).
package struct DeviceGrant: Sendable, Equatable {
  let deviceCode: Secret
  /// To be typed by the person; visible.
  package let userCode: String
  /// Where; visible, HTTPS or on this machine.
  package let verificationURL: String
  /// The same with the code in it.
  package let completeURL: String?
  /// Seconds from now.
  package let lifetime: Int64
  /// Seconds between two questions, at least.
  let interval: Int64

  package static func read(_ body: [UInt8], hiding secrets: [Secret] = [])
    throws(TokenGrant.Malformed) -> Result<DeviceGrant, OAuthRefusal>
  {
    let answer: Answer
    do {
      answer = try TokenGrant.decoder.decode(Answer.self, from: Data(body))
    } catch {
      throw .noObject
    }
    if let code = answer.error {
      return .failure(
        OAuthRefusal(code: code, words: answer.errorDescription, hiding: secrets))
    }
    guard let device = answer.deviceCode, !device.isEmpty, let user = answer.userCode,
      !user.isEmpty, user.utf8.count <= 100,
      let url = (answer.verificationUri ?? answer.verificationUrl).flatMap(shown)
    else { throw .noUserCode }
    return .success(
      DeviceGrant(
        deviceCode: Secret(device), userCode: user.visible, verificationURL: url,
        completeURL: answer.verificationUriComplete.flatMap(shown),
        lifetime: answer.expiresIn?.seconds ?? 900,
        interval: min(max(answer.interval?.seconds ?? 5, 1), 900)))
  }

  /// An address fit to be shown to a person and to be opened.
  private static func shown(_ text: String) -> String? {
    guard text.utf8.count <= 2000, text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }),
      Addresses.isSafe(text)
    else { return nil }
    return text
  }

  private struct Answer: Decodable {
    var deviceCode: String?
    var userCode: String?
    var verificationUri: String?
    /// Google's name for it, from before the RFC.
    var verificationUrl: String?
    var verificationUriComplete: String?
    var expiresIn: Seconds?
    var interval: Seconds?
    var error: String?
    var errorDescription: String?
  }
}
