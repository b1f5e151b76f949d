extension SASLMechanism {
  /// The mechanisms to try, best first; never empty.
  ///
  /// Passwords: SCRAM, then over TLS PLAIN, LOGIN and CRAM-MD5; without TLS (loopback) CRAM-MD5 before
  /// the two that show the password. `automatic` puts an access token into OAUTHBEARER or XOAUTH2 only,
  /// and never a password. Without any credential EXTERNAL is left.
  ///
  /// - Parameter offered: the names after `AUTH=` in the capabilities, in any case.
  /// - Throws: `.noCommonMechanism` with what was offered and what we would have taken.
  package static func candidates(
    offered: [String], choice: SASLChoice, kind: SASLCredential.Kind, context: SASLContext
  ) throws(SASLError) -> [SASLMechanism] {
    let known = Set(offered.compactMap(SASLMechanism.init(name:)))
    let wanted = wanted(by: choice, kind: kind, context: context)
    let usable = wanted.filter { mechanism in
      known.contains(mechanism) && (!mechanism.isChannelBound || context.channelBinding != nil)
    }
    guard !usable.isEmpty else {
      throw .noCommonMechanism(offered: offered, wanted: wanted.map(\.rawValue))
    }
    return usable
  }

  private static func wanted(by choice: SASLChoice, kind: SASLCredential.Kind, context: SASLContext)
    -> [SASLMechanism]
  {
    switch (choice, kind) {
    case (.only(let mechanism), _):
      guard let bound = mechanism.channelBound, bound != mechanism else { return [mechanism] }
      return [bound, mechanism]
    case (.automatic, .accessToken): return [.oauthBearer, .xoauth2]
    case (.automatic, .none): return [.external]
    case (.automatic, .password):
      let scram: [SASLMechanism] = [
        .scramSHA256Plus, .scramSHA256, .scramSHA1Plus, .scramSHA1,
      ]
      return scram
        + (context.isEncrypted ? [.plain, .login, .cramMD5] : [.cramMD5, .plain, .login])
    }
  }
}
