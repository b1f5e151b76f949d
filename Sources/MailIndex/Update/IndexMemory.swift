import CIndexCalls

package enum IndexMemory {
  /// Gives the system what was freed and kept for later. Runs over a large tree need much, and who stays after them little.
  package static func giveBack() { index_return_free_memory() }
}
