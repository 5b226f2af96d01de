import a
import b

configure()
main()
