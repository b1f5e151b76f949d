import ArgumentParser

/// The verbs that both programs have.
package enum ReadingCommands {
  /// - Parameter show: the program's own way to show a message.
  package static func all(show: any ParsableCommand.Type = ShowCommand.self)
    -> [any ParsableCommand.Type]
  {
    [
      SearchCommand.self, ThreadsCommand.self, show, AttachmentsCommand.self, AddressCommand.self,
      StatsCommand.self, ExportCommand.self,
    ]
  }

  /// `mirror-index update`, and `mirror index update`.
  package static let indexing: [any ParsableCommand.Type] = [
    UpdateCommand.self, RebuildCommand.self, CheckCommand.self,
  ]
}
