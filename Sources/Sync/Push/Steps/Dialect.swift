/// How the server moves and keeps messages, chosen once for a connection.
struct Dialect {
  let moving: any MovingWay
  let removal: any RemovalWay
  /// Nil where a mailbox holds its messages for itself.
  let labels: LabelParts?

  init(desk: PushDesk, trash: TrashMailbox) {
    labels = desk.known.labels == nil ? nil : LabelParts(desk: desk, trash: trash)
    if !desk.remote.canMove {
      moving = CopyCommand(desk: desk)
    } else if labels != nil {
      moving = LabelMoveCommand(desk: desk)
    } else {
      moving = MoveCommand(desk: desk)
    }
    removal = labels?.discard ?? Expunger(desk: desk)
  }
}
