import CLISupport
import Testing

@Suite struct ConsoleTests {
  @Test func `the panel is redrawn in place and stays below what is printed`() {
    let terminal = MemoryStream(columns: 40)
    let console = Console(output: terminal, errors: terminal)
    console.show(panel: ["one", "two"])
    console.printMessage("problem")
    console.show(panel: ["three"])
    console.printResult("result\n")
    #expect(terminal.screen == ["problem", "result", "three"])
    console.show(panel: ["longer line", "x"])
    console.show(panel: ["short"])
    #expect(terminal.screen == ["problem", "result", "short"])
    console.show(panel: [])
    #expect(terminal.screen == ["problem", "result"])
  }

  @Test func `without a terminal there is no panel and no escape`() {
    let file = MemoryStream()
    let console = Console(output: MemoryStream(), errors: file)
    console.show(panel: ["one"])
    console.printMessage("problem")
    console.show(panel: [])
    #expect(file.text == "problem\n")
  }

  @Test func `a result on a terminal moves the panel, a result in a file does not`() {
    let file = MemoryStream()
    let terminal = MemoryStream(columns: 40)
    let console = Console(output: file, errors: terminal)
    console.show(panel: ["one"])
    let before = terminal.text
    console.printResult("result\n")
    #expect(terminal.text == before)
    #expect(file.text == "result\n")
  }

  @Test func `a panel is never higher than the screen`() {
    let terminal = MemoryStream(columns: 40)
    let console = Console(output: MemoryStream(), errors: terminal)
    console.show(panel: (0..<100).map { "\($0)" })
    #expect(terminal.screen.count == 23)
  }

  @Test func `a result that cannot be written is remembered`() {
    let console = Console(output: MemoryStream(accepts: false), errors: MemoryStream())
    #expect(!console.hasFailed)
    console.printResult("x\n")
    #expect(console.hasFailed)
  }
}
