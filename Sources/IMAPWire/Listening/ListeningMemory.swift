/// What a connection that listened taught those that follow it.
package struct ListeningMemory: Sendable, Equatable {
  /// How long a line may rest before something is said on it, in seconds: less where one was found dead then.
  package private(set) var renewal = Self.longest
  /// The server stopped NOTIFY, after which it may keep silent in IDLE, too: that needs a connection which never had it.
  package var avoidsNotify = false
  private var secondsAlive: Int64 = 0

  private static let longest: Int64 = 25 * 60
  private static let shortest: Int64 = 2 * 60
  private static let day: Int64 = 24 * 3600

  package init() {}

  package mutating func foundDead() {
    renewal = max(renewal / 2, Self.shortest)
    secondsAlive = 0
  }

  /// After a day without a dead line it rests longer again.
  package mutating func foundAlive() {
    secondsAlive += renewal
    guard secondsAlive >= Self.day else { return }
    renewal = min(renewal * 2, Self.longest)
    secondsAlive = 0
  }
}
