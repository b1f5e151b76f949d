import ArgumentParser

/// The verbs that both programs have.
package enum ReadingCommands {
  package static let all: [any ParsableCommand.Type] = [
    SearchCommand.self, ThreadsCommand.self, ShowCommand.self, AttachmentsCommand.self,
    AddressCommand.self,
  ]

  /// `mirror-index update`, and `mirror index update`.
  package static let indexing: [any ParsableCommand.Type] = [
    UpdateCommand.self, RebuildCommand.self, CheckCommand.self,
  ]
}
