echo "hi"
ls --all
exit 0
