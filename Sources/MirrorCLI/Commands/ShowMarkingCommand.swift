import ArgumentParser
import CLISupport
import MailCore
import Reading

/// `mirror show`: as `mirror-index show`, which changes nothing, and what it prints can be marked as read.
struct ShowMarkingCommand: ParsableCommand {
  static let configuration = ShowCommand.configuration

  @OptionGroup var show: ShowCommand

  @Flag(help: "Mark what is printed as read; the next push carries it to the server.")
  var markRead = false

  @Flag(help: "With --mark-read: tell what would be marked, and mark nothing.")
  var dryRun = false

  func run() throws {
    let images =
      show.html
      ? ImageDownloads(isAsked: show.remoteImages, trusted: try TrustFile().read()) : nil
    let shown = try show.show(images: images)
    var status = shown.status
    if markRead {
      var options = SortingOptions()
      options.reading = show.options
      options.format = show.format
      options.isDryRun = dryRun
      options.yes = true
      let session = try SortingSession(options)
      do {
        status = status.combined(with: try session.markRead(shown.messages))
      } catch let error as any Explained {
        throw session.told(error)
      }
    }
    try shown.end(status)
  }
}
