#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

package enum SignalHandler {
  /// A signal that was ignored when the program began (`nohup`, a background job) stays ignored.
  package static func install(_ number: Int32, _ handler: @escaping @convention(c) (Int32) -> Void)
  {
    var before = sigaction()
    guard sigaction(number, nil, &before) == 0, !isIgnored(before) else { return }
    signal(number, handler)
  }

  private static func isIgnored(_ action: sigaction) -> Bool {
    #if canImport(Glibc)
      let handler = action.__sigaction_handler.sa_handler
    #else
      let handler = action.__sigaction_u.__sa_handler
    #endif
    return unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
  }
}
