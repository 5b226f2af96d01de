import { a } from './a.js'

export function total(items) {
  return items.length
}
