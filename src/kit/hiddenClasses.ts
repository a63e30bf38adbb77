import { executionAsyncResource } from 'node:async_hooks'
import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { setFlagsFromString } from 'node:v8'

/** Objects that stay alive, one of each class. The response holds its request. Exported for tests. */
export const kept: { tick?: object; response?: ServerResponse } = {}

/** V8 fixes the size of a class's objects when it has made this many. */
const objectsBeforeSize = 8

/**
 * V8 drops a hidden class if none of its objects is alive at two full collections in a row. The code that creates such
 * objects is then compiled again, and after some repeats it stays slow: each `process.nextTick` takes 0.9 µs instead of
 * 0.15. The option keeps the classes that optimised code uses. Collections during the start come before code is
 * optimised, so one tick is also kept alive.
 *
 * V8 fixes the size of a class's objects at the eighth object, by the hidden classes that it knows then. If a collection
 * has dropped these, the size is too small, and each later request and response becomes a slow dictionary, which takes
 * 6 KB more. So eight of both are made at once, and the last pair stays alive.
 */
export function keepHiddenClasses(): void {
  setFlagsFromString('--retain-maps-for-n-gc=1000000')
  process.nextTick(() => {
    kept.tick = executionAsyncResource()
  })
  for (let made = 0; made < objectsBeforeSize; made++)
    kept.response = new ServerResponse(new IncomingMessage(new Socket()))
}
