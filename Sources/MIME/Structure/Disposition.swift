/// What a part's Content-Disposition (RFC 2183) says it is for.
package enum Disposition: UInt8, Sendable, Hashable {
  case inline
  case attachment
  /// `form-data`, `signal` and other words; RFC 2183 §2.8 reads them as attachment.
  case other
}
