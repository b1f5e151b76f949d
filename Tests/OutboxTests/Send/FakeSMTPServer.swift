import Foundation
import MailCore
import Outbox
import SASL
import SMTPClient
import Transport

/// A submission server in memory that keeps what it accepted, and fails where it is told to.
final class FakeSMTPServer {
  enum Place: String, CaseIterable {
    case connect, greeting, ehlo, auth, mail, rcpt, data, body, dot, reset
  }

  enum Fault {
    case reply(String)
    /// The connection ends; at the dot: before the message is kept.
    case close
    /// At the dot: the message is kept, and the connection ends without an answer.
    case closeAfterAccepting
    case interrupt(Interrupt)
  }

  struct Message: Equatable {
    var sender: String
    var recipients: [String]
    var parameters: [String]
    var bytes: [UInt8]
    var text: String { String(decoding: bytes, as: UTF8.self) }
  }

  var extensions = ["PIPELINING", "8BITMIME", "SIZE 1000000", "DSN", "AUTH PLAIN"]
  /// Taken one by one at each place; nil entries let one pass.
  var faults: [Place: [Fault?]] = [:]
  /// Answers to recipients, by address.
  var recipientReplies: [String: String] = [:]
  private(set) var accepted: [Message] = []
  private(set) var connections = 0
  private(set) var commands: [String] = []
  /// Called before the answer to the dot is written.
  var atDot: () -> Void = {}
  /// Called once the body may come.
  var atData: () -> Void = {}
  /// Called when a MAIL comes before the answer to a dot was read.
  var atAnnouncement: () -> Void = {}
  fileprivate(set) var announcements = 0
  /// Times that the client waited for an answer.
  fileprivate(set) var waits = 0
  var recipientLimit = Int.max
  /// Connections that close, as if idle for too long, before the command of this number (from 0) behind the log-in.
  var timesOutBefore: [Int: Int] = [:]
  /// Each write of a message's bytes, by size.
  fileprivate(set) var bodyWrites: [Int] = []

  func connect() throws -> any ByteStream {
    connections += 1
    let number = connections
    if case .close? = fault(.connect) { throw TransportError.refused(Endpoint(host: "x", port: 1)) }
    return Stream(self, timesOutBefore[number] ?? .max)
  }

  fileprivate func fault(_ place: Place) -> Fault? {
    guard var list = faults[place], !list.isEmpty else { return nil }
    let next = list.removeFirst()
    faults[place] = list
    return next
  }

  fileprivate func keep(_ message: Message) { accepted.append(message) }
  fileprivate func heard(_ command: String) { commands.append(command) }

  func session(_ user: String = "alice") -> SMTPSession {
    var options = SMTPSessionOptions(host: "x", port: 465, user: user)
    options.digests = .openSSL
    return SMTPSession(
      options: options, connect: { [unowned self] in try connect() }, credential: { Secret("pw") })
  }

  private final class Stream: ByteStream {
    private let server: FakeSMTPServer
    private var input: [UInt8] = []
    private var output: [UInt8] = []
    private var isClosed = false
    private var sender: String?
    private var parameters: [String] = []
    private var recipients: [String] = []
    private var isInData = false
    private var chunkLeft = 0
    private var isLastChunk = false
    private var message: [UInt8] = []
    var isEncrypted = true
    var isPeerLoopback = true
    var hidesTraffic = false
    func hide(_ mask: SecretMask) {}
    var preferredChannelBinding: ChannelBinding? { nil }

    private var messagesLeft: Int

    init(_ server: FakeSMTPServer, _ messages: Int) {
      self.server = server
      messagesLeft = messages
      answer(.greeting, "220 fake ESMTP")
    }

    private var hasWritten = true

    func read(into room: UnsafeMutableRawBufferPointer, before deadline: Deadline) throws -> Int {
      if hasWritten { server.waits += 1 }
      hasWritten = false
      let count = min(room.count, output.count)
      room.copyBytes(from: output.prefix(count))
      output.removeFirst(count)
      return count
    }

    func write(_ bytes: UnsafeRawBufferPointer, before deadline: Deadline, logAs: String?) throws {
      if isClosed { throw TransportError.reset(Endpoint(host: "x", port: 1)) }
      hasWritten = true
      if isInData || chunkLeft > 0 { server.bodyWrites.append(bytes.count) }
      input += Array(bytes)
      while !isClosed {
        if chunkLeft > 0 {
          let count = min(chunkLeft, input.count)
          message += input.prefix(count)
          input.removeFirst(count)
          chunkLeft -= count
          if chunkLeft > 0 { break }
          isLastChunk ? end() : say("250 chunk")
          continue
        }
        guard let end = input.firstIndex(of: 10) else { break }
        let line = Array(input[...end])
        input.removeSubrange(...end)
        isInData ? data(line) : command(String(decoding: line.dropLast(2), as: UTF8.self))
      }
      if isClosed, output.isEmpty, !isInData {
        return
      }
    }

    private func say(_ text: String) { output += Array((text + "\r\n").utf8) }

    /// False where a fault stood in the way.
    @discardableResult
    private func answer(_ place: Place, _ text: String?) -> Bool {
      switch server.fault(place) {
      case .reply(let words)?:
        say(words)
        if words.hasPrefix("421") { isClosed = true }
        return false
      case .close?, .closeAfterAccepting?:
        isClosed = true
        return false
      case .interrupt(let interrupt)?:
        interrupt.trigger()
        isClosed = true
        return false
      case nil:
        if let text { say(text) }
        return true
      }
    }

    private func command(_ line: String) {
      server.heard(line)
      let verb = line.prefix { $0 != " " && $0 != ":" }.uppercased()
      switch verb {
      case "EHLO":
        answer(
          .ehlo,
          (["250-fake"] + server.extensions.map { "250-\($0)" } + ["250 HELP"])
            .joined(separator: "\r\n"))
      case "AUTH": answer(.auth, "235 2.7.0 ok")
      case "MAIL":
        if !output.isEmpty {
          server.announcements += 1
          server.atAnnouncement()
        }
        if messagesLeft == 0 {
          isClosed = true
          return
        }
        messagesLeft -= 1
        if sender != nil {
          say("503 5.5.1 nested MAIL")
          return
        }
        let words = line.split(separator: " ")
        if answer(.mail, "250 2.1.0 ok") {
          sender = String(words[1].dropFirst("FROM:<".count).dropLast())
          parameters = words.dropFirst(2).map(String.init)
          recipients = []
          message = []
        }
      case "RCPT":
        let address = String(line.split(separator: " ")[1].dropFirst("TO:<".count).dropLast())
        if sender == nil {
          say("503 5.5.1 MAIL first")
        } else if recipients.count >= server.recipientLimit {
          say("452 4.5.3 too many recipients")
        } else if let reply = server.recipientReplies[address] {
          say(reply)
        } else if answer(.rcpt, "250 2.1.5 ok") {
          recipients.append(address)
        }
      case "DATA":
        if recipients.isEmpty {
          say("554 5.5.1 no valid recipients")
        } else if answer(.data, "354 go") {
          isInData = true
          server.atData()
          if case .close? = server.fault(.body) { isClosed = true }
        }
      case "BDAT":
        let words = line.split(separator: " ")
        chunkLeft = Int(words[1]) ?? 0
        isLastChunk = words.count > 2
        if chunkLeft == 0, isLastChunk { end() }
      case "RSET":
        answer(.reset, "250 ok")
        sender = nil
      case "QUIT": isClosed = true
      default: say("500 what?")
      }
    }

    private func data(_ line: [UInt8]) {
      if line == Array(".\r\n".utf8) {
        isInData = false
        end()
      } else {
        message += line.first == UInt8(ascii: ".") ? line.dropFirst() : line[...]
      }
    }

    private func end() {
      server.atDot()
      let kept = Message(
        sender: sender ?? "", recipients: recipients, parameters: parameters, bytes: message)
      sender = nil
      let fault = server.fault(.dot)
      switch fault {
      case .reply(let words)?:
        say(words)
        if words.hasPrefix("2") { server.keep(kept) }
        if words.hasPrefix("421") { isClosed = true }
      case .close?: isClosed = true
      case .interrupt(let interrupt)?: interrupt.trigger()
      case .closeAfterAccepting?:
        server.keep(kept)
        isClosed = true
      case nil:
        server.keep(kept)
        say("250 2.0.0 queued as \(server.accepted.count)")
      }
    }

    func startTLS(before deadline: Deadline) throws {}
    func startCompression(alreadyRead: [UInt8]) throws {}
    func close() { isClosed = true }
  }
}
