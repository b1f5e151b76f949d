import MailCore

/// What a program tells: results on standard output, everything else on standard error.
///
/// Everything that came from a server or a message passes through `.visible` here, so no caller can forget it.
package struct Report: Sendable {
  package let program: String
  package let console: Console
  package let format: OutputFormat
  package let isQuiet: Bool
  package let verbosity: Int
  private let coloursOutput: Bool
  private let coloursErrors: Bool

  package init(
    program: String, options: CommonOptions, console: Console, environment: [String: String]
  ) {
    self.init(
      program: program, format: options.format, isQuiet: options.quiet,
      verbosity: options.verbose, console: console, environment: environment)
  }

  package init(
    program: String, format: OutputFormat, isQuiet: Bool, verbosity: Int, console: Console,
    environment: [String: String]
  ) {
    self.program = program
    self.console = console
    self.format = format
    self.isQuiet = isQuiet
    self.verbosity = verbosity
    coloursOutput = Colour.isWanted(
      onTerminal: console.outputIsTerminal, environment: environment)
    coloursErrors = Colour.isWanted(
      onTerminal: console.errorsAreTerminal, environment: environment)
  }

  /// One line of text results; nothing with `-q` or another format.
  package func line(_ text: String) {
    guard format.isText, !isQuiet else { return }
    console.printResult(text.visible + "\n")
  }

  /// One line of text results that begins with a coloured word.
  package func line(_ colour: Colour, _ word: String, _ text: String) {
    guard format.isText, !isQuiet else { return }
    console.printResult(colour.paint(word.visible, if: coloursOutput) + text.visible + "\n")
  }

  /// The one document of `--format json`; nothing with another format.
  package func document(_ value: some Encodable) throws {
    guard format == .json else { return }
    console.printResult(try JSONText.encode(value, pretty: true))
  }

  /// One line of `--format jsonl`; nothing with another format.
  package func record(_ value: some Encodable) throws {
    guard format == .jsonl else { return }
    console.printResult(try JSONText.encode(value, pretty: false))
  }

  /// A problem on one line of standard error: `personal/INBOX: what is wrong. What to do.`
  package func problem(_ subject: String, _ problem: String, remedy: String? = nil) {
    let subject = Colour.red.paint(subject.visible + ":", if: coloursErrors)
    let remedy = remedy.map { " " + $0.visible } ?? ""
    console.printMessage("\(subject) \(problem.visible)\(remedy)")
  }

  /// Something worth a line, though nothing went wrong.
  package func notice(_ subject: String, _ words: String) {
    guard !isQuiet else { return }
    let subject = Colour.yellow.paint(subject.visible + ":", if: coloursErrors)
    console.printMessage("\(subject) \(words.visible)")
  }

  /// Shown from so many `-v` on.
  package func detail(_ level: Int = 1, _ words: @autoclosure () -> String) {
    guard verbosity >= level else { return }
    console.printMessage(words().visible)
  }

  package func problem(_ error: any Explained) {
    let words = error.explanation
    problem(program, words.problem, remedy: words.remedy)
  }
}
