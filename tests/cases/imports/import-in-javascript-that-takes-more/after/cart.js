import { a, sum } from './a.js'

export function total(items) {
  return sum(items)
}
