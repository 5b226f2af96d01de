ls --all
exit 0
