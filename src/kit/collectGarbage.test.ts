import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runInNewContext } from 'node:vm'
import { collectGarbage } from './collectGarbage.ts'

test('what nobody uses any more is freed, and no later code gets the means to do it', () => {
  const left = new WeakRef(Array.from({ length: 100_000 }, (_, n) => ({ n })))
  const before = process.memoryUsage().heapUsed
  return new Promise<void>((resolve) =>
    // A WeakRef keeps its target alive until the end of the task that created or read it.
    setImmediate(() => {
      collectGarbage()
      assert.equal(left.deref(), undefined)
      assert.ok(process.memoryUsage().heapUsed < before)
      assert.equal(runInNewContext('typeof gc'), 'undefined')
      assert.equal(typeof globalThis.gc, 'undefined')
      resolve()
    }),
  )
})
