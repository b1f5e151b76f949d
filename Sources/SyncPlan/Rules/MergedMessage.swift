/// A message whose flags and keywords differ on the two sides.
struct MergedMessage {
  enum Base: Sendable { case whatWasAgreed, whatBothHave }

  /// Its file was found in the tree, and no pull delivered it.
  let wasFound: Bool
}
