import Synchronization

/// The work's value, or `fallback` once the time is over or the caller is cancelled; what still runs then is left
/// alone.
func within<Value: Sendable>(
  seconds: Double, else fallback: Value, _ work: @escaping @Sendable () async -> Value
) async -> Value {
  let first = FirstValue<Value>()
  let worker = Task.detached { first.give(await work()) }
  let timer = Task.detached {
    try? await Task.sleep(for: .seconds(seconds))
    first.give(fallback)
  }
  defer {
    worker.cancel()
    timer.cancel()
  }
  return await withTaskCancellationHandler {
    await first.value()
  } onCancel: {
    first.give(fallback)
  }
}

/// The first value that anybody gives, for one who waits.
private final class FirstValue<Value: Sendable>: Sendable {
  private enum State {
    case empty
    case waiting(CheckedContinuation<Value, Never>)
    case given(Value)
    case over
  }

  private let state = Mutex(State.empty)

  func give(_ value: Value) {
    let waiting: CheckedContinuation<Value, Never>? = state.withLock { state in
      switch state {
      case .empty:
        state = .given(value)
        return nil
      case .waiting(let continuation):
        state = .over
        return continuation
      case .given, .over: return nil
      }
    }
    waiting?.resume(returning: value)
  }

  func value() async -> Value {
    await withCheckedContinuation { continuation in
      let given: Value? = state.withLock { state in
        if case .given(let value) = state {
          state = .over
          return value
        }
        state = .waiting(continuation)
        return nil
      }
      if let given { continuation.resume(returning: given) }
    }
  }
}
