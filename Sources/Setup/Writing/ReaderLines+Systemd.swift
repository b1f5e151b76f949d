extension ReaderLines {
  /// Timers that pull and push: a queue that nothing pushes would never leave.
  static func systemd(_ call: MirrorCall) -> [ReaderLines] {
    let service = ["[Service]", "Type=oneshot"]
    let restart = [
      "Restart=on-failure", "RestartSec=30", "RestartPreventExitStatus=1 64 65 77 78",
    ]
    return [
      unit(
        "mirror-pull.service",
        service + [
          "ExecStart=\(call.systemd("pull -q"))", "SuccessExitStatus=69 75",
          "TimeoutStartSec=infinity",
        ]),
      unit("mirror-pull.timer", timer("*:0/10")),
      unit(
        "mirror-push.service",
        service + ["ExecStart=\(call.systemd("push -q"))", "SuccessExitStatus=69"] + restart
          + ["TimeoutStartSec=infinity"]),
      unit(
        "mirror-push.timer",
        timer("*:5/10") + [
          "# then: systemctl --user enable --now mirror-pull.timer \\", "#   mirror-push.timer",
        ]),
    ]
  }

  private static func unit(_ name: String, _ lines: [String]) -> ReaderLines {
    ReaderLines(program: "systemd", file: "~/.config/systemd/user/\(name)", lines: lines)
  }

  private static func timer(_ calendar: String) -> [String] {
    [
      "[Timer]", "OnCalendar=\(calendar)", "RandomizedDelaySec=2min", "Persistent=yes",
      "[Install]", "WantedBy=timers.target",
    ]
  }
}
