import a from 'a'
import c from 'c'

function f() {
  run(); stop()
}
