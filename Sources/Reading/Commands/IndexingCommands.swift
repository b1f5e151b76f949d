import ArgumentParser
import CLISupport

package struct UpdateCommand: ParsableCommand {
  package static let configuration = CommandConfiguration(
    commandName: "update", abstract: "Bring the index up to date.",
    discussion: """
      Reads only directories that changed, and only messages that are new. Makes the index where there is \
      none, and makes it anew where it is damaged or of another version.

      Exit status: 0 done; 1 some files could not be read; 75 another run is at it; 77 no permission; \
      78 no mail there.
      """)

  @OptionGroup package var options: ReadingOptions
  @OptionGroup package var format: DocumentFormat

  @Flag(help: "Look also for messages that were edited in place.")
  package var full = false

  @Flag(help: "Show progress also where standard error is no terminal.")
  package var progress = false

  @Flag(help: "Look also through all old mail for warnings, however long that takes.")
  package var warnings = false

  @Flag(help: "Tell what would be done, and do nothing.")
  package var dryRun = false

  package init() {}

  package func run() throws {
    try task.run()
  }

  var task: IndexingTask {
    IndexingTask(
      place: options.place, format: format.result, mode: full ? .thorough : .update,
      showsProgress: progress, examinesAll: warnings, isDry: dryRun)
  }
}

package struct RebuildCommand: ParsableCommand {
  package static let configuration = CommandConfiguration(
    commandName: "rebuild", abstract: "Make the index from nothing.",
    discussion: """
      Readers may have the index open meanwhile. No mail is touched.

      Exit status: as of update.
      """)

  @OptionGroup package var options: ReadingOptions
  @OptionGroup package var format: DocumentFormat

  @Flag(help: "Show progress also where standard error is no terminal.")
  package var progress = false

  @Flag(help: "Tell what would be done, and do nothing.")
  package var dryRun = false

  package init() {}

  package func run() throws {
    try IndexingTask(
      place: options.place, format: format.result, mode: .rebuild, showsProgress: progress,
      isDry: dryRun
    ).run()
  }
}
