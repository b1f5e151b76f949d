import Testing

@testable import CLISupport

@Suite struct CalledNameTests {
  @Test(arguments: [
    (["/usr/sbin/sendmail", "-t", "-i"], ["sendmail", "-t", "-i"]),
    (["sendmail"], ["sendmail"]),
    (["/home/a/bin/mirror", "pull"], ["pull"]),
    (["mirror", "sendmail", "-t"], ["sendmail", "-t"]),
    (["/opt/sendmail/mirror"], []), ([], []),
  ])
  func `a link of a verb's name is that verb`(line: [String], arguments: [String]) {
    #expect(CalledName.arguments(line, verbs: ["sendmail"]) == arguments)
  }
}
