#if os(Linux) && !DEBUG
  // A release has libdispatch inside. From the first worker of its pools on it looks once a second, for as long as the
  // process lives, whether they are blocked and need help; and one worker there always is, since GRDB has one clear up
  // after each database that is closed. Workers here never block (everything that does has a thread of its own), and a
  // watch is to sleep. So no worker is put on the list that is looked through, as in libdispatch itself on systems where
  // it cannot tell who is blocked. These two are all that the rest of it knows of the looking.

  @c(_dispatch_workq_worker_register)
  public func leavePoolUnwatched(_ queue: UnsafeMutableRawPointer?) {}

  @c(_dispatch_workq_worker_unregister)
  public func forgetNoWorker(_ queue: UnsafeMutableRawPointer?) {}
#endif
