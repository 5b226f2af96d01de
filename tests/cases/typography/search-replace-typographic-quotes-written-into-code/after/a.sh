echo "hello"
exit 0
