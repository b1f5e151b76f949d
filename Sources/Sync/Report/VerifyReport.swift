/// What `mirror verify` found: tree, state and server held against each other.
package struct VerifyReport: Sendable, Codable {
  package var account: String
  package var mailboxesChecked = 0
  package var messagesChecked = 0
  package var findings: [RunProblem] = []
  package var exitStatus: Int32 = 0
}
