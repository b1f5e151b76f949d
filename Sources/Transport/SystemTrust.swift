import COpenSSL
import Synchronization

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The certificate authorities that the system trusts, for one X509_STORE.
///
/// The directory of hashed names is looked into issuer by issuer. The bundle, where most systems keep the
/// same certificates once more, is parsed only if an issuer is nowhere else: that takes 20 ms, which
/// every run would pay for.
enum SystemTrust {
  /// - Parameter bundle: nil for the one OpenSSL would take (`SSL_CERT_FILE`, or its built-in path).
  static func add(to context: OpaquePointer, bundle: String?) -> Bool {
    guard let store = SSL_CTX_get_cert_store(context) else { return false }
    if bundle == nil, SSL_CTX_set_default_verify_dir(context) != 1 { return false }
    guard let lookup = X509_STORE_add_lookup(store, method) else { return false }
    let path = Unmanaged.passRetained(Bundle(path: bundle ?? defaultBundle))
    guard X509_LOOKUP_set_method_data(lookup, path.toOpaque()) == 1 else {
      path.release()
      return false
    }
    return true
  }

  private static var defaultBundle: String {
    if let variable = X509_get_default_cert_file_env(), let path = getenv(variable) {
      return String(cString: path)
    }
    return X509_get_default_cert_file().map { String(cString: $0) } ?? ""
  }

  // Made once, never freed; not changed once in use.
  nonisolated(unsafe) private static let method = makeMethod()

  private static func makeMethod() -> OpaquePointer? {
    let method = X509_LOOKUP_meth_new("mirror bundle")
    X509_LOOKUP_meth_set_free(method) { lookup in
      guard let data = X509_LOOKUP_get_method_data(lookup) else { return }
      Unmanaged<Bundle>.fromOpaque(data).release()
    }
    X509_LOOKUP_meth_set_get_by_subject(method) { lookup, kind, name, found in
      guard kind == X509_LU_X509, let lookup, let data = X509_LOOKUP_get_method_data(lookup),
        let store = X509_LOOKUP_get_store(lookup)
      else { return 0 }
      Unmanaged<Bundle>.fromOpaque(data).takeUnretainedValue().load(into: store)
      return SystemTrust.look(for: name, in: store, found) ? 1 : 0
    }
    return method
  }

  private static func look(
    for name: OpaquePointer?, in store: OpaquePointer, _ found: OpaquePointer?
  )
    -> Bool
  {
    X509_STORE_lock(store)
    defer { X509_STORE_unlock(store) }
    let objects = X509_STORE_get0_objects(store)
    guard let object = X509_OBJECT_retrieve_by_subject(objects, X509_LU_X509, name),
      let certificate = X509_OBJECT_get0_X509(object),
      X509_OBJECT_set1_X509(found, certificate) == 1
    else { return false }
    X509_free(certificate)  // the store keeps it alive, and the caller counts for itself
    return true
  }
}

/// A PEM file that goes into a store at the first call.
private final class Bundle: Sendable {
  private let path: String
  private let isLoaded = Mutex(false)

  init(path: String) { self.path = path }

  func load(into store: OpaquePointer) {
    isLoaded.withLock { isLoaded in
      guard !isLoaded else { return }
      isLoaded = true
      guard let file = BIO_new_file(path, "r") else { return }
      defer { BIO_free(file) }
      while let certificate = PEM_read_bio_X509_AUX(file, nil, nil, nil) {
        X509_STORE_add_cert(store, certificate)
        X509_free(certificate)
      }
      ERR_clear_error()  // the end of the file counts as an error
    }
  }
}
