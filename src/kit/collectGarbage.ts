import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/**
 * Frees what nobody uses any more, which holds this thread for some tens of milliseconds. V8 does so by itself when memory is
 * wanted: a process that is idle would keep what its start has left.
 */
export function collectGarbage(): void {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  setFlagsFromString('--no-expose-gc')
  collect()
}
