import Foundation
import LocalChanges
import Maildir
import Testing

struct WatchLockTests {
  private let home = FileManager.default.temporaryDirectory.path + "/watch-\(UUID().uuidString)"

  private func witness(_ account: String = "personal") -> TreeWitness {
    TreeWitness(accountPath: "\(home)/Mail/\(account)", environment: ["HOME": home])
  }

  @Test func `an account has one watch, and others learn of it`() throws {
    defer { try? FileManager.default.removeItem(atPath: home) }
    #expect(!witness().isWatched)
    var lock: WatchLock? = try witness().watch()
    #expect(witness().isWatched)
    #expect(throws: MaildirError.self) { try witness().watch() }
    #expect(!witness("work").isWatched)
    lock?.write("listening, and before that something longer")
    lock?.write("listening")
    #expect(witness().watchWords == "listening")
    lock = nil
    #expect(!witness().isWatched)
    #expect(witness().watchWords == nil)
    withExtendedLifetime(try witness().watch()) { #expect(witness().isWatched) }
  }

  @Test func `without a home directory a watch is not known`() throws {
    let witness = TreeWitness(accountPath: "/nowhere/personal", environment: [:])
    withExtendedLifetime(try witness.watch()) { #expect(!witness.isWatched) }
  }
}
