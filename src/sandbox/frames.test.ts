import assert from 'node:assert/strict'
import { PassThrough } from 'node:stream'
import { test } from 'node:test'
import fc from 'fast-check'
import { parseChildMessage, readFrames } from './frames.ts'

test('frames are read from chunks of any size', () => {
  fc.assert(
    fc.property(fc.array(fc.jsonValue()), fc.array(fc.nat(40)), (values, cuts) => {
      const from = new PassThrough()
      const seen: unknown[] = []
      readFrames(
        from,
        1e6,
        (frame) => seen.push(frame),
        () => assert.fail(),
      )
      let bytes = Buffer.from(values.map((value) => `${JSON.stringify(value)}\n`).join(''))
      for (const cut of cuts) {
        from.emit('data', bytes.subarray(0, cut))
        bytes = bytes.subarray(cut)
      }
      from.emit('data', bytes)
      assert.deepEqual(seen, JSON.parse(JSON.stringify(values)))
    }),
  )
})

test('a line that exceeds the limit is reported once, and further input is discarded', () => {
  const from = new PassThrough()
  let reports = 0
  readFrames(
    from,
    10,
    () => assert.fail(),
    () => reports++,
  )
  for (let n = 0; n < 5; n++) from.emit('data', Buffer.from('123456'))
  assert.equal(reports, 1)
})

test('a message of a child is a valid frame or undefined', () => {
  const good = [
    { is: 'ready', permission: true },
    { is: 'log', id: 1, level: 'error', text: 'x' },
    { is: 'call', id: 1, call: 2, name: 'x', args: '[]' },
    { is: 'done', id: 1, result: '1' },
    { is: 'done', id: 1, error: { name: 'a', message: 'b', stack: 'c' } },
    { is: 'done', id: 1, breach: 'cpu' },
  ]
  for (const frame of good) assert.deepEqual(parseChildMessage({ ...frame, more: 1 }), frame)
  const bad = [
    undefined,
    null,
    1,
    'ready',
    {},
    { is: 'ready' },
    { is: 'log', id: '1', text: 'x' },
    { is: 'log', id: 1, text: {} },
    { is: 'call', id: 1, call: 1.5, name: 'x', args: '[]' },
    { is: 'call', id: 1, call: 1, name: 'x', args: [] },
    { is: 'done', id: 1 },
    { is: 'done', id: 1, result: {} },
    { is: 'done', id: 1, breach: 'constructor' },
    { is: 'done', id: 1, error: { name: 'a', message: 'b' } },
    { is: 'constructor', id: 1 },
  ]
  for (const frame of bad) assert.equal(parseChildMessage(frame), undefined, JSON.stringify(frame))
  fc.assert(fc.property(fc.anything(), (frame) => void parseChildMessage(frame)))
})
