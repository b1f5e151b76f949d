import IMAPWire

/// The list of mailboxes, asked for behind the last command of the log-in and before its answer. A server answers in
/// order, and refuses what comes behind a log-in that failed.
///
/// Only servers that are known to read on do it so, and only those that were met before: what they can do is told behind
/// the log-in.
extension IMAPSession {
  /// Asks, where that may be done. To be called when the last command of the log-in has been sent.
  func askAhead(_ machine: LoginMachine) throws {
    guard !hasAskedAhead, machine.awaitsVerdict, let known = options.known,
      known.greeting == machine.evidence.greeting, let capabilities = known.capabilities,
      ServerFamily.detect(.init(greeting: known.greeting)).contains(where: \.readsBehindLogin)
    else { return }
    hasAskedAhead = true
    evidence = machine.evidence
    noteCapabilities(capabilities)
    guard self.capabilities.contains(.listStatus), !quirks.contains(.capabilityAfterLogin) else {
      return
    }
    // The secret is out, and nothing that answers it is one.
    stream?.hidesTraffic = false
    prepare()
    let commands = listCommands(returning: statusItems)
    let collector = ListCollector(listCommand: commands.count - 1)
    var nobody = Unheard()
    try submitPreamble(&nobody)
    for (index, command) in commands.enumerated() { try submit(command, index: index, &nobody) }
    try flush()
    ahead = collector
  }

  /// The answer to what was asked ahead; nil where nothing was.
  func listAhead() throws -> ListCollector? {
    guard var collector = ahead else { return nil }
    ahead = nil
    let before = silenceSeconds
    silenceSeconds = min(before, options.aheadSeconds)
    defer { silenceSeconds = before }
    try pipeline(depth: .max, next: { nil }, handler: &collector)
    collector.attachStatuses()
    return collector
  }

  /// Lets the answers pass by: something else has to be said first.
  func dropAhead() throws {
    guard ahead != nil else { return }
    ahead = nil
    var nobody = Unheard()
    while !inFlight.isEmpty { try takeEvents(&nobody) }
  }

  private struct Unheard: ResponseHandler {}
}
