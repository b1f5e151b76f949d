#if os(Linux)
  import CWatchCalls

  /// File systems in which others than this machine's programs may write, unseen by its kernel.
  enum ReportlessFileSystem {
    /// Nil where everything is reported.
    static func name(_ descriptor: Int32) -> String? { names[watch_file_system(descriptor)] }

    /// By the numbers of statfs(2).
    private static let names: [UInt32: String] = [
      UInt32(NFS_SUPER_MAGIC): "NFS",
      UInt32(SMB_SUPER_MAGIC): "SMB",
      UInt32(CIFS_SUPER_MAGIC): "SMB",
      UInt32(SMB2_SUPER_MAGIC): "SMB",
      UInt32(FUSE_SUPER_MAGIC): "FUSE",
      UInt32(V9FS_MAGIC): "9P",
      UInt32(CEPH_SUPER_MAGIC): "Ceph",
      UInt32(AFS_FS_MAGIC): "AFS",
    ]
  }
#endif
