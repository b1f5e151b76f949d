# mblaze on a tree that mirror keeps: functions for a shell's start-up file (". mirror.sh"). Each leaves what it found as
# the sequence, so that "mshow 1", "mrep 2", "mrefile 5 ~/Mail/personal/Archive" go on from there.

# All folders of the tree but those of mirror's own: its queue is a Maildir, too, and "minc" has no business there.
mail_folders() {
  mdirs -a "${MAIL_TREE:-$HOME/Mail}" | grep -v '/\.mirror/'
}

# mail_new [ACCOUNT/FOLDER]: what is unread there, in threads; without a folder everywhere.
mail_new() {
  if [ $# -gt 0 ]; then printf '%s\n' "${MAIL_TREE:-$HOME/Mail}/$1"; else mail_folders; fi |
    while IFS= read -r folder; do
      minc -q "$folder"
      mlist -s "$folder"
    done | mthread | grep -v '^ *<' | mseq -S | mscan
}

# mail_find QUERY: what "mirror search" finds, in all folders, the newest first.
mail_find() {
  mirror search --format paths -- "$@" | mseq -S | mscan
}

# mail_flag FLAGS MESSAGES: "mail_flag -F 1:3". mflag renames files, and here the sequence follows them.
mail_flag() {
  mseq : | mflag -v "$@" | mseq -S >/dev/null
}

# mail_read MESSAGES: shows them and marks them as read, which mshow by itself does not.
mail_read() {
  mshow "$@" && mail_flag -S "$@"
}
