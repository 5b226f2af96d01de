echo "yo"
ls --all
exit 0
