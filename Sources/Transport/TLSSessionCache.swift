import COpenSSL
import Synchronization

/// TLS sessions that servers gave us, so that the next connection of the account skips half of the
/// handshake.
///
/// A session is bound to one host and port, and lives within one trust policy: resuming it skips the
/// certificate check, which was made when it was won.
package final class TLSSessionCache: Sendable {
  /// Each owns one reference.
  private struct Entry: @unchecked Sendable {  // OpenSSL counts and locks SSL_SESSION
    let session: OpaquePointer
  }

  static let capacity = 8  // tickets for each endpoint

  private let entries = Mutex<[Endpoint: [Entry]]>([:])

  deinit {
    entries.withLock { held in
      for entry in held.values.joined() { SSL_SESSION_free(entry.session) }
    }
  }

  /// Takes over the caller's reference.
  func keep(_ session: OpaquePointer, for endpoint: Endpoint) {
    let entry = Entry(session: session)
    let surplus = entries.withLock { held -> Entry? in
      held[endpoint, default: []].append(entry)
      return held[endpoint, default: []].count > Self.capacity
        ? held[endpoint]?.removeFirst() : nil
    }
    if let surplus { SSL_SESSION_free(surplus.session) }
  }

  /// The newest session that still holds; the caller frees it.
  ///
  /// Tickets are handed out once while there are others (RFC 8446 appendix C.4); the last one is
  /// repeated, as a full handshake tells an onlooker no less.
  func session(for endpoint: Endpoint) -> OpaquePointer? {
    let (chosen, stale) = entries.withLock { held -> (Entry?, [Entry]) in
      var list = held[endpoint] ?? []
      let stale = list.filter { !Self.isUsable($0.session) }
      list.removeAll { entry in stale.contains { $0.session == entry.session } }
      let chosen = list.last
      if let chosen, list.count == 1 {
        SSL_SESSION_up_ref(chosen.session)
      } else if chosen != nil {
        list.removeLast()
      }
      held[endpoint] = list
      return (chosen, stale)
    }
    for entry in stale { SSL_SESSION_free(entry.session) }
    return chosen?.session
  }

  /// Not once the session, or the certificate it was won with, has expired.
  private static func isUsable(_ session: OpaquePointer) -> Bool {
    guard SSL_SESSION_is_resumable(session) == 1 else { return false }
    if let peer = SSL_SESSION_get0_peer(session) {
      guard X509_cmp_current_time(X509_get0_notAfter(peer)) > 0 else { return false }
    }
    return true
  }
}
