import { executionAsyncResource } from 'node:async_hooks'
import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { setFlagsFromString } from 'node:v8'

/** The objects that stay alive. Tests read them. */
export const kept: { tick?: object; request?: IncomingMessage; response?: ServerResponse } = {}

/** V8 decides the size of a class's objects after it has made this many. */
const objectsBeforeSize = 8

/**
 * V8 drops a hidden class if none of its objects is alive at two full collections in a row. The code that creates such
 * objects is then compiled again, and after some repeats it stays slow: each `process.nextTick` takes 0.9 µs instead of
 * 0.15. The option keeps the classes that optimised code uses. Collections during the start come before code is
 * optimised, so one tick is also kept alive.
 *
 * V8 gives the objects of a class room for the properties that its hidden classes have at the eighth object. If a
 * collection has dropped those of the first requests and responses by then, there is no room, and all later ones are
 * slow dictionaries: 6 KB more for each request. So eight of both are made at once, and one of them is kept alive.
 */
export function keepHiddenClasses(): void {
  setFlagsFromString('--retain-maps-for-n-gc=1000000')
  process.nextTick(() => {
    kept.tick = executionAsyncResource()
  })
  for (let made = 0; made < objectsBeforeSize; made++) {
    const request = new IncomingMessage(new Socket())
    const response = new ServerResponse(request)
    kept.request ??= request
    kept.response ??= response
  }
}
