import ArgumentParser

/// The verbs that both programs have.
package enum ReadingCommands {
  /// - Parameters:
  ///   - search: the program's own way to find messages.
  ///   - show: to show one.
  package static func all(
    search: any ParsableCommand.Type = SearchCommand.self,
    show: any ParsableCommand.Type = ShowCommand.self
  ) -> [any ParsableCommand.Type] {
    [
      search, ThreadsCommand.self, show, AttachmentsCommand.self, AddressCommand.self,
      StatsCommand.self, ExportCommand.self,
    ]
  }

  /// `mirror-index update`, and `mirror index update`.
  package static let indexing: [any ParsableCommand.Type] = [
    UpdateCommand.self, RebuildCommand.self, CheckCommand.self,
  ]
}
