import Testing

@testable import OAuth

@Suite struct ProofKeyTests {
  /// RFC 7636 appendix B.
  @Test func `the challenge is that of the standard's example`() throws {
    let proof = try ProofKey(verifier: "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk")
    #expect(proof.challenge == "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM")
  }

  @Test func `a verifier has 43 letters that no address has to escape, and never comes twice`()
    throws
  {
    var seen: Set<String> = []
    for _ in 0..<50 {
      let text = try ProofKey().verifier.text
      #expect(text.utf8.count == 43)
      #expect(FormText.encode(text.utf8).elementsEqual(text.utf8))
      #expect(seen.insert(text).inserted)
    }
  }
}
