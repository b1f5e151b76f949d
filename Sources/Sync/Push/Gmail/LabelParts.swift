/// What a push does otherwise where mailboxes are labels (Gmail): a message is in the mailboxes of all its labels, and
/// only Trash and Spam have it for themselves.
struct LabelParts {
  let homes: LabelHomes
  let removal: LabelRemoval
  let moves: LabelMoves
  let discard: LabelDiscard
  let arrivals: LabelArrivals
  let finder: LabelFinder

  init(desk: PushDesk, trash: TrashMailbox) {
    homes = LabelHomes(desk: desk)
    removal = LabelRemoval(desk: desk, homes: homes)
    moves = LabelMoves(desk: desk, homes: homes)
    discard = LabelDiscard(desk: desk, homes: homes, trash: trash)
    arrivals = LabelArrivals(desk: desk)
    finder = LabelFinder(desk: desk)
  }
}
