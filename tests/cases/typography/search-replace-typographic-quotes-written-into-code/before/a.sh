echo "hi"
exit 0
