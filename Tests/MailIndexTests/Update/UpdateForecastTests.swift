import Foundation
import Testing

@testable import MailIndex

@Suite struct UpdateForecastTests {
  private let lab: IndexLab

  init() throws {
    lab = try IndexLab()
    for number in 0..<5 {
      try lab.put("acc/INBOX", "cur/\(number).a:2,S", lab.mail("\(number)"))
    }
  }

  @Test func `without an index everything would be read, and nothing is made`() throws {
    let forecast = try UpdateForecast.of(.update, root: lab.root)
    #expect(forecast.read == 5 && forecast.renamed == 0 && forecast.removedFiles == 0)
    #expect(!FileManager.default.fileExists(atPath: lab.root + "/.mirror"))
  }

  @Test func `a forecast is what the update does then`() throws {
    try lab.update()
    try lab.put("acc/Archive", "cur/x.a:2,", lab.mail("x"))
    try lab.move("acc/INBOX/cur/1.a:2,S", to: "acc/INBOX/cur/1.a:2,FS")
    try lab.move("acc/INBOX/cur/2.a:2,S", to: "acc/Archive/cur/2.a:2,S")
    try lab.remove("acc/INBOX/cur/3.a:2,S")
    let before = try lab.portrait()
    let forecast = try UpdateForecast.of(.update, root: lab.root)
    #expect(forecast.read == 1 && forecast.renamed == 2 && forecast.removedFiles == 1)
    #expect(try lab.portrait() == before)
    #expect(try lab.number("SELECT count(*) FROM messages") == 5)
    #expect(try UpdateForecast.of(.rebuild, root: lab.root).read == 5)
    let summary = try lab.update()
    #expect(
      summary.read == forecast.read && summary.renamed == forecast.renamed
        && summary.removedFiles == forecast.removedFiles)
    let settled = try UpdateForecast.of(.update, root: lab.root)
    #expect(settled.read == 0 && settled.renamed == 0 && settled.removedFiles == 0)
  }

  @Test func `a tree that is not there is told`() {
    #expect(throws: IndexError.noTree(root: lab.root + "/none")) {
      try UpdateForecast.of(.update, root: lab.root + "/none")
    }
  }
}
