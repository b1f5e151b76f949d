;;; mirror-mu4e.el --- mu4e on a tree that mirror keeps  -*- lexical-binding: t -*-

;; In the init file:  (load "/usr/share/doc/mirror/examples/readers/mu4e/mirror-mu4e.el")
;; then put in your name, address and folders; "mirror init" prints it as it is for your account.
;; Once, in a shell:
;;   mu init --maildir=~/Mail \
;;     --my-address=alice@example.org && mu index
;; (A blank in the path: mu expands it once more than the shell, so  --maildir='~/My\ Mail'.)
;; mu passes over mirror's own directories: each holds a .noindex. Tried with mu4e 1.8.14 and Emacs 28.2.

;;; Code:

;; Only where mirror's configuration is not in its usual place:  (setenv "MIRROR_CONFIG" "/path/to/config.toml")
(require 'mu4e)
(require 'message)
(require 'subr-x)

(setq user-full-name "Alice Example")
(setq user-mail-address "alice@example.org")

(setq mu4e-sent-folder "/personal/Sent"
      mu4e-drafts-folder "/personal/Drafts"
      mu4e-trash-folder "/personal/Trash"
      mu4e-refile-folder "/personal/Archive"
      mu4e-maildir-shortcuts
      '((:maildir "/personal/INBOX" :key ?i)
        (:maildir "/personal/Archive" :key ?a)
        (:maildir "/personal/Sent" :key ?s)))

;; U: queued mail leaves, new mail comes, then mu indexes. A file that is moved keeps its name, which mirror likes best.
(setq mu4e-get-mail-command "mirror sync -q"
      mu4e-change-filenames-when-moving nil)

(defun mirror-send ()
  "Queue the message in this buffer.
This is for `message-send-mail-function'.
Emacs's own function puts its options before \"sendmail\"; mirror
wants them behind."
  (goto-char (point-min))
  (re-search-forward
   (concat "^" (regexp-quote mail-header-separator) "\n"))
  (replace-match "\n")
  (run-hooks 'message-send-mail-hook)
  (let* ((coding-system-for-write message-send-coding-system)
         (said (generate-new-buffer " *mirror sendmail*"))
         (status (call-process-region
                  nil nil "mirror" nil said nil
                  "sendmail" "-oi" "-t"))
         (words (with-current-buffer said (string-trim (buffer-string)))))
    (kill-buffer said)
    (unless (eq status 0) (error "Not queued (%s): %s" status words))))

;; Sending is queueing: it works offline. "mirror push" sends, and files the copy in Sent: mu4e keeps none.
(setq message-send-mail-function #'mirror-send
      mu4e-sent-messages-behavior 'delete)

;; Emacs marks an open draft with a link to nowhere beside it, which no Maildir program expects.
(add-hook 'mu4e-compose-mode-hook
          (lambda () (setq-local create-lockfiles nil)))

;; d moves to the trash, and does no more. As mu4e has it, d also sets flag T, which is \Deleted on the server: other
;; programs hide such messages, or expunge them.
(setf (plist-get (cdr (assq 'trash mu4e-marks)) :action)
      (plist-get (cdr (assq 'refile mu4e-marks)) :action))

(provide 'mirror-mu4e)
;;; mirror-mu4e.el ends here
