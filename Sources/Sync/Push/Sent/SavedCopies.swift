import Ledger
import Maildir
import SyncPlan

/// A file in Sent of which the send queue knows the message.
struct SavedCopy {
  var upload: PushPlan.PlannedUpload
  var header: [UInt8]
  var messageID: String
  var stand: SentCopyAdvice.Stand
  /// It repeats a message of its folder: in no case is it sent.
  var isSurplus: Bool
}

/// A plan, and apart from it the copies in Sent that a mail reader saved of messages which the send queue knows.
struct SavedCopies {
  private(set) var plan: PushPlan
  private(set) var copies: [SavedCopy] = []
  /// Message-IDs of all that the queue knows.
  private(set) var queueIDs: Set<String> = []

  /// - Parameters:
  ///   - plan: of a tree that was looked at before: the queue is asked afterwards, so that of a file and a copy under
  ///     way one always knows of the other.
  ///   - sent: mailboxes for copies of what was sent.
  init(in plan: PushPlan, sent: Set<MailboxKey>, advice: SentCopyAdvice, _ context: AccountContext)
    throws
  {
    self.plan = plan
    let uploads = plan.uploads.indices.filter {
      sent.contains(plan.uploads[$0].mailbox) && plan.uploads[$0].replaces == nil
    }
    let surplus = plan.surplus.indices.filter {
      plan.surplus[$0].mailbox.map(sent.contains) ?? false
    }
    guard !uploads.isEmpty || !surplus.isEmpty else { return }
    let stands: [String: SentCopyAdvice.Stand]
    do { stands = try advice.stands() } catch {
      // What the queue may have filed is not to be sent unseen.
      context.note(RunProblem(error))
      for index in uploads.reversed() { self.plan.uploads.remove(at: index) }
      return
    }
    guard !stands.isEmpty else { return }
    queueIDs = Set(stands.keys)
    for index in uploads.reversed() {
      let upload = plan.uploads[index]
      guard let copy = try Self.copy(upload, stands, false, advice, context) else { continue }
      self.plan.uploads.remove(at: index)
      copies.insert(copy, at: 0)
    }
    for index in surplus.reversed() {
      let file = plan.surplus[index]
      guard let mailbox = file.mailbox else { continue }
      let upload = PushPlan.PlannedUpload(mailbox: mailbox, file: file, replaces: nil)
      guard let copy = try Self.copy(upload, stands, true, advice, context) else { continue }
      self.plan.surplus.remove(at: index)
      copies.insert(copy, at: 0)
    }
  }

  /// Nothing for the server.
  var isQuiet: Bool { plan.isQuiet && copies.isEmpty }

  /// Nothing for the server but flags and keywords.
  var isOfMarksAlone: Bool {
    var rest = plan
    rest.marks = []
    return rest.isQuiet && copies.isEmpty
  }

  private static func copy(
    _ upload: PushPlan.PlannedUpload, _ stands: [String: SentCopyAdvice.Stand],
    _ isSurplus: Bool, _ advice: SentCopyAdvice, _ context: AccountContext
  ) throws -> SavedCopy? {
    let header: [UInt8]
    do throws(MaildirError) {
      let folder = try MaildirFolder.open(upload.file.folder, in: context.tree)
      header = try folder.header(of: upload.file.file, policy: context.policy)
    } catch {
      if error.stopsRun { throw error }
      return nil  // It went away: whoever sends it will see.
    }
    guard let id = advice.messageID(header), let stand = stands[id] else { return nil }
    return SavedCopy(
      upload: upload, header: header, messageID: id, stand: stand, isSurplus: isSurplus)
  }
}
