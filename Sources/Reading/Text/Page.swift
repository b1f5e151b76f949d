import CLISupport

/// What results are laid out for.
package struct Page: Sendable, Equatable {
  /// Of the terminal; nil where the output goes elsewhere: nothing is cut or wrapped then.
  package var columns: Int?
  package var hasColours: Bool
  /// Unix seconds; decides which dates are written short.
  package var now: Int64

  package init(columns: Int?, hasColours: Bool, now: Int64) {
    self.columns = columns
    self.hasColours = hasColours
    self.now = now
  }

  package func paint(_ style: TextStyle, _ text: String) -> String {
    style.paint(text, if: hasColours)
  }
}
