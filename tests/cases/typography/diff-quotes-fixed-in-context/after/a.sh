echo "hi"
echo "x"
ls --all
exit 0
