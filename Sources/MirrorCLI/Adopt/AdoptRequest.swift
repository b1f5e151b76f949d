import Setup

/// What a person asked of `mirror adopt`.
struct AdoptRequest: Sendable {
  var tool: PeerTool
  /// Absolute.
  var directory: String?
  var account: String?
  var mappings: [FolderMapping.Rule] = []
  var theirConfig: String?
  var tags: NotmuchDump?
  var copies = false
  var isDryRun = false

  init(tool: PeerTool) { self.tool = tool }
}
