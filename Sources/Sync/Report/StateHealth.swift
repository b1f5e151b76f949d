import Ledger
import MailCore
import State

/// Whether all pages of an account's `state.db`, or of its backup, are sound.
package enum StateHealth: Sendable, Equatable {
  case sound
  case damaged(String)
  /// It could not be looked through to its end; why.
  case unknown(String)

  /// Reads the whole file, and changes nothing. **Blocks**.
  package static func of(_ path: String, seconds: Double = 10) -> StateHealth {
    do throws(StateError) {
      switch try StateStore.look(at: path, seconds: seconds) {
      case .sound: return .sound
      case .damaged(let words): return .damaged(words)
      case .unfinished: return .unknown("it is too large to be looked through in \(Int(seconds)) s")
      }
    } catch {
      return .unknown(error.explanation.problem)
    }
  }
}
