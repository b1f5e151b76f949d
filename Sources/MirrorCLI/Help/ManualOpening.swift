import ArgumentParser
import CLISupport
import Foundation
import MailCore

/// Opens a topic's page in the best way that the machine has.
struct ManualOpening {
  let environment: [String: String]
  let console: Console

  private var man: String? { ManualPlaces.find("man", path: environment["PATH"]) }
  private var mandoc: String? { ManualPlaces.find("mandoc", path: environment["PATH"]) }

  func open(_ topic: ManualTopic) throws {
    let program = Bundle.main.executableURL?.resolvingSymlinksInPath().path ?? ""
    let man = man
    let places = ManualPlaces(program: program) { page in
      man.flatMap { ManualText.output(of: $0, ["-w", "\(page.section)", page.name]) }?
        .split(separator: "\n").first.map(String.init)
    }
    guard let path = places.path(of: topic.pages) else { return try shortHelp(topic) }
    // With a slash in it, man takes it for a file.
    if let man, console.outputIsTerminal {
      // What cannot be started is no reason to show nothing.
      do { try become(man, [path]) } catch {}
    }
    guard let text = plainText(path) else {
      let unformatted = PageUnformatted(
        page: topic.pages.first { path.contains("/" + $0.fileName) } ?? topic.pages[0], path: path)
      guard topic.command != nil else { throw unformatted }
      let words = unformatted.explanation
      console.printMessage("mirror: \(words.problem) \(words.remedy ?? "")")
      return try shortHelp(topic)
    }
    console.printResult(text.hasSuffix("\n") ? text : text + "\n")
  }

  private func plainText(_ path: String) -> String? {
    let locale =
      ["LC_ALL", "LC_CTYPE", "LANG"].compactMap { environment[$0] }.first { !$0.isEmpty } ?? ""
    let device = locale.uppercased().contains("UTF") ? "utf8" : "ascii"
    if let mandoc, let text = ManualText.output(of: mandoc, ["-T", device, path]) { return text }
    if let man, let text = ManualText.output(of: man, [path]) { return text }
    // Our own rendering is plainer, and always there.
    guard !path.hasSuffix(".gz"), let bytes = FileManager.default.contents(atPath: path) else {
      return nil
    }
    return PlainManual.text(of: String(decoding: bytes, as: UTF8.self))
  }

  /// What the program says by itself; where that is nothing, the way to the page.
  private func shortHelp(_ topic: ManualTopic) throws {
    let command = MirrorCommand.configuration.subcommands.first {
      $0.configuration.commandName == topic.command
    }
    guard let command, topic.command != nil else { throw PageMissing(page: topic.pages[0]) }
    console.printResult(MirrorCommand.helpMessage(for: command) + "\n")
  }
}

/// The page is there, and nothing that could show it.
struct PageUnformatted: Explained {
  let page: ManualPage
  let path: String

  var explanation: Explanation {
    Explanation(
      problem: "There is neither man nor mandoc to show \(page).", remedy: "It lies at \(path).",
      exitStatus: .inPart)
  }
}

/// The page is neither beside the program nor where `man` looks.
struct PageMissing: Explained {
  let page: ManualPage

  var explanation: Explanation {
    Explanation(
      problem: "\(page) is not installed.",
      remedy:
        "contrib/install puts the manual beside the programs; its sources are man/ of theirs.",
      exitStatus: .inPart)
  }
}
