import MailCore

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Goes on as another program, in this process. Returns only by throwing.
func become(_ program: String, _ arguments: [String]) throws -> Never {
  // Threads of the pool block signals, and what is blocked here would be blocked there.
  var none = sigset_t()
  sigemptyset(&none)
  pthread_sigmask(SIG_SETMASK, &none, nil)
  fflush(nil)
  var words = ([program] + arguments).map { strdup($0) } + [nil]
  defer { for word in words { free(word) } }
  execv(program, &words)
  throw InitFailure(
    explanation: Explanation(
      problem: "\(program) could not be started: \(String(cString: strerror(errno))).",
      remedy: "Run mirror pull.", exitStatus: .inPart))
}
