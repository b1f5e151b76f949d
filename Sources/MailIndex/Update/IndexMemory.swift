import CIndexCalls

package enum IndexMemory {
  /// Gives the system what was freed and kept for later. Runs over a large tree need much, and who stays after them little.
  package static func giveBack() { index_return_free_memory() }

  /// For a process that stays: from its beginning on little is kept.
  package static func keepLittle() { index_keep_free_memory(256 << 10) }
}
