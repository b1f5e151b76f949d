extension ReaderLines {
  /// The watch, which lets mail come and go by itself.
  static func systemd(_ call: MirrorCall) -> [ReaderLines] {
    [
      ReaderLines(
        program: "systemd", file: "~/.config/systemd/user/mirror-watch.service",
        lines: [
          "[Service]", "Type=notify", "ExecStart=\(call.systemd("watch -q"))",
          "ExecReload=kill -HUP $MAINPID", "TimeoutStartSec=infinity", "WatchdogSec=5min",
          "Restart=on-failure", "RestartSec=30s", "RestartPreventExitStatus=64 75 77 78",
          "[Install]", "WantedBy=default.target",
          "# then: systemctl --user enable --now mirror-watch", "#   loginctl enable-linger",
        ])
    ]
  }
}
