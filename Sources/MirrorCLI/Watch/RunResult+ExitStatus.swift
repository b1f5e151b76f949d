import MailCore
import WatchPlan

extension RunResult {
  /// - Parameter treeIsThere: a tree that is moved away makes whatever is under way fail, in many ways.
  init(
    _ exitStatus: Int32, isLogInRefused: Bool, isCrowded: Bool = false,
    treeIsThere: @autoclosure () -> Bool
  ) {
    let status = ExitStatus(rawValue: exitStatus)
    if status != .done, !treeIsThere() {
      self = .treeGone
      return
    }
    self =
      switch status {
      case .done: .done
      case .unreachable: isCrowded ? .crowded : .unreachable
      case .busy: .busy
      case .configuration: .misconfigured
      case .interrupted: .interrupted
      // Else it is a tree that cannot be written, or a secret that cannot be had: either may pass.
      case .refused: isLogInRefused ? .refused : .inPart
      case .inPart, .usage, .badData, nil: .inPart
      }
  }
}
