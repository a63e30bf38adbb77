import { executionAsyncResource } from 'node:async_hooks'
import { setFlagsFromString } from 'node:v8'

/** The object of `process.nextTick` that stays alive. Tests read it. */
export const keptTick: { resource?: object } = {}

/**
 * V8 drops a hidden class if none of its objects is alive at two full collections in a row. The code that creates such
 * objects is then compiled again, and after some repeats it stays slow: each `process.nextTick` takes 0.9 µs instead of
 * 0.15. The option keeps the classes that optimised code uses. Collections during the start come before code is
 * optimised, so one tick is also kept alive.
 */
export function keepHiddenClasses(): void {
  setFlagsFromString('--retain-maps-for-n-gc=1000000')
  process.nextTick(() => {
    keptTick.resource = executionAsyncResource()
  })
}
