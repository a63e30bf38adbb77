import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Log } from '#kit/log.ts'
import type { RefusedCalls } from '#store/deliveryQueries.ts'
import type { StoreChange } from '#store/store.ts'
import { turnedClock } from '../../test/fake/clock.ts'
import { openRefusedCallsCounter } from './refusedCalls.ts'

function open() {
  const clock = turnedClock()
  const closing = new AbortController()
  const lines: Parameters<Log>[0][] = []
  const written: RefusedCalls[] = []
  const disk = { isFull: false }
  const store = {
    async write(changes: readonly StoreChange[]) {
      if (disk.isFull) throw new Error('full')
      for (const change of changes) if ('add' in change && change.add === 'refusedCalls') written.push(...change.rows)
    },
  }
  const refused = openRefusedCallsCounter({ clock, store, log: (line) => void lines.push(line) }, closing.signal)
  return { clock, closing, lines, written, disk, refused, begun: clock.now() }
}

test('refused calls are counted by tag, minute and limit, and written within seconds', async () => {
  const { clock, refused, written, begun } = open()
  for (let n = 0; n < 1_000; n++) refused.add('tag_1', 'team')
  refused.add('tag_2', 'tag')
  await clock.turn(5_000)
  assert.deepEqual(written.splice(0), [
    { tagId: 'tag_1', at: begun, of: 'team', calls: 1_000 },
    { tagId: 'tag_2', at: begun, of: 'tag', calls: 1 },
  ])
  await clock.turn(60_000)
  assert.deepEqual(written, [], 'nothing is written while nothing is refused')
  refused.add('tag_1', 'team')
  await clock.turn(5_000)
  assert.deepEqual(written, [{ tagId: 'tag_1', at: begun + 60_000, of: 'team', calls: 1 }])
})

test('counts that cannot be written are written later, for their own minute', async () => {
  const { clock, refused, written, disk, lines, begun } = open()
  disk.isFull = true
  refused.add('tag_1', 'tag')
  await clock.turn(5_000)
  refused.add('tag_1', 'tag')
  await clock.turn(60_000)
  assert.ok(lines.length > 0)
  disk.isFull = false
  await clock.turn(5_000)
  assert.deepEqual(written, [{ tagId: 'tag_1', at: begun, of: 'tag', calls: 2 }])
})

test('a flush waits for a write that has begun', async () => {
  const clock = turnedClock()
  const begun = Promise.withResolvers<void>()
  const store = { write: () => begun.promise }
  const refused = openRefusedCallsCounter({ clock, store, log: () => {} }, new AbortController().signal)
  refused.add('tag_1', 'tag')
  await clock.turn(5_000)
  let isFlushed = false
  const flushed = refused.flush().then(() => {
    isFlushed = true
  })
  await clock.turn(0)
  assert.equal(isFlushed, false)
  begun.resolve()
  await flushed
})

test('the remaining counts are written at shutdown', async () => {
  const { closing, refused, written } = open()
  refused.add('tag_1', 'tag')
  closing.abort()
  await refused.flush()
  assert.equal(written.length, 1)
})
