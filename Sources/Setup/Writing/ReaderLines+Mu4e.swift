extension ReaderLines {
  static func mu4e(_ draft: AccountDraft, _ place: Place, _ call: MirrorCall) -> ReaderLines {
    func folder(_ name: String) -> String { QuotedText.lisp("/\(place.account)/\(name)") }
    let directory = QuotedText.shellTwice(place.root)
    var lines = [
      ";; Once, in a shell:", ";;   mu init --maildir=\(directory) \\",
      ";;     --my-address=\(QuotedText.shell(draft.email)) && mu index",
      "(require 'mu4e)", "(require 'message)", "(require 'subr-x)",
    ]
    // What Emacs starts has it from here.
    if let configuration = call.configuration {
      lines.append("(setenv \"MIRROR_CONFIG\" \(QuotedText.lisp(configuration)))")
    }
    if let name = draft.realName, !name.isEmpty {
      lines.append("(setq user-full-name \(QuotedText.lisp(name)))")
    }
    let get = QuotedText.lisp(QuotedText.shell(call.program) + " sync -q")
    lines += [
      "(setq user-mail-address \(QuotedText.lisp(draft.email)))",
      "(setq mu4e-sent-folder \(folder(place.sent))",
      "      mu4e-drafts-folder \(folder(place.drafts))",
      "      mu4e-trash-folder \(folder(place.trash))",
      "      mu4e-refile-folder \(folder(place.archive))",
      "      mu4e-maildir-shortcuts",
      "      '((:maildir \(folder("INBOX")) :key ?i)",
      "        (:maildir \(folder(place.archive)) :key ?a)",
      "        (:maildir \(folder(place.sent)) :key ?s)))",
      "(setq mu4e-get-mail-command \(get)", "      mu4e-change-filenames-when-moving nil)",
    ]
    if draft.smtp != nil { lines += sending(call) }
    return ReaderLines(program: "mu4e", file: "~/.emacs.d/init.el", lines: lines + marking)
  }

  /// Emacs's own function puts its options before `sendmail`, where mirror does not take them.
  private static func sending(_ call: MirrorCall) -> [String] {
    """
    (defun mirror-send ()
      (goto-char (point-min))
      (re-search-forward
       (concat "^" (regexp-quote mail-header-separator) "\\n"))
      (replace-match "\\n")
      (run-hooks 'message-send-mail-hook)
      (let* ((coding-system-for-write message-send-coding-system)
             (said (generate-new-buffer " *mirror sendmail*"))
             (status (call-process-region
                      nil nil \(QuotedText.lisp(call.program)) nil said nil
                      "sendmail" "-oi" "-t"))
             (words (with-current-buffer said (string-trim (buffer-string)))))
        (kill-buffer said)
        (unless (eq status 0) (error "Not queued (%s): %s" status words))))
    (setq message-send-mail-function #'mirror-send
          mu4e-sent-messages-behavior 'delete)
    """.split(separator: "\n").map(String.init)
  }

  private static var marking: [String] {
    """
    (add-hook 'mu4e-compose-mode-hook
              (lambda () (setq-local create-lockfiles nil)))
    (setf (plist-get (cdr (assq 'trash mu4e-marks)) :action)
          (plist-get (cdr (assq 'refile mu4e-marks)) :action))
    """.split(separator: "\n").map(String.init)
  }
}
