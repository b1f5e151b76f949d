import MailCore
import SASL
import Transport

/// OpenSSL's digests with a fixed nonce, so that published exchanges come out byte for byte.
func digests(nonce: String) -> SASLDigests {
  var digests = SASLDigests.openSSL
  let bytes = Base64.decode(Array(nonce.utf8)) ?? []
  digests.randomBytes = { _ throws(SASLError) in bytes }
  return digests
}

func context(
  nonce: String = "fyko+d2lbbFgONRv9qkxdawL", isEncrypted: Bool = true,
  channelBinding: ChannelBinding? = nil
) -> SASLContext {
  SASLContext(
    host: "server.example.com", port: 143, isEncrypted: isEncrypted,
    channelBinding: channelBinding, digests: digests(nonce: nonce))
}

func exchange(
  _ mechanism: SASLMechanism, user: String = "user", password: String = "pencil",
  authorization: String = "", offered: [String] = [], context: SASLContext = context()
) throws -> SASLExchange {
  try SASLExchange(
    mechanism,
    credential: SASLCredential(
      user: user, secret: Secret(password), authorization: authorization),
    offered: offered, context: context)
}

func text(_ bytes: [UInt8]?) -> String? { bytes.map { String(decoding: $0, as: UTF8.self) } }
