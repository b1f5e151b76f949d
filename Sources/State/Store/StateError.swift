import GRDB
import Ledger

extension StateError {
  init(_ error: any Error) {
    switch error {
    case let error as StateError: self = error
    case let error as DatabaseError:
      let words = error.message ?? error.resultCode.description
      switch error.resultCode {
      case .SQLITE_CORRUPT, .SQLITE_NOTADB: self = .damaged(words)
      case .SQLITE_FULL: self = .diskFull
      case .SQLITE_IOERR: self = .disk(words)
      case .SQLITE_READONLY, .SQLITE_CANTOPEN, .SQLITE_PERM: self = .readOnly(words)
      default: self = .failed(words)
      }
    case DecodingError.dataCorrupted(let context): self = .damaged(context.debugDescription)
    default: self = .failed(String(describing: error))
    }
  }
}
