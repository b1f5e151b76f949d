/// What a style says of a colour.
enum ColourWord {
  case colour(Colour)
  /// The text's own.
  case current
  /// As if nothing were said: inherited, of text; none, of a ground.
  case nothing
  /// As it is where no page says anything: black text.
  case initial

  /// Nil for what browsers do not know, and pass over.
  init?(_ word: PageBytes) {
    if let colour = Colour(word) {
      self = .colour(colour)
    } else if word.equals("currentcolor") {
      self = .current
    } else if word.equals("initial") {
      self = .initial
    } else if word.equals("inherit") || word.equals("unset") || word.equals("revert")
      || word.equals("revert-layer")
    {
      self = .nothing
    } else {
      return nil
    }
  }
}
