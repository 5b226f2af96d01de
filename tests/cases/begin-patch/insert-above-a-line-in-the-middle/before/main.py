import a
import b

main()
