import MailTestKit

/// The person's two machines.
extension PushWorld {
  /// By checksum: what a reader writes anew may have the size and the time of what was there.
  func carry(_ isWhole: Bool) throws {
    let target = machines[1 - model.machines.number]
    try runSuccessfully(
      ["rsync", "-ac", "--delete"] + (isWhole ? [] : ["--exclude=/.mirror"]) + [
        mirror.account + "/", target.account,
      ])
  }
}
