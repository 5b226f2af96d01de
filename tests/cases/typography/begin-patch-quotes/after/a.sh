echo "hello"
ls --all
exit 0
