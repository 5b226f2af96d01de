ls --all -l
exit 0
