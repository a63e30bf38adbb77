import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { openRefusalLog } from './refusalLog.ts'

const consent = { at: 1, consent: { all: false } }

test('a refusal after the mark concerns its users and e-mails, and no others', () => {
  const log = openRefusalLog()
  log.add(['a'])
  const mark = log.mark()
  assert.equal(log.hasSince(mark, ['a', 'b']), false)
  log.add(['b', 'e-mail'], consent)
  assert.deepEqual([log.hasSince(mark, ['c', 'e-mail']), log.hasSince(mark, ['a'])], [true, false])
})

test("an event's own consent is not a later refusal; the same consent given again is, and so is an erasure", () => {
  const log = openRefusalLog()
  log.add(['a'], consent)
  assert.equal(log.hasSince(0, ['a'], consent), false)
  log.add(['a'], { ...consent })
  assert.equal(log.hasSince(0, ['a'], consent), true)
  const mark = log.mark()
  log.add(['a'])
  assert.equal(log.hasSince(mark, ['a'], consent), true)
})

test('for any history the log answers as one that keeps everything, or true where it does not reach back', () => {
  const name = fc.constantFrom('a', 'b', 'c')
  fc.assert(
    fc.property(fc.array(fc.array(name, { maxLength: 2 }), { maxLength: 20 }), fc.nat(20), name, (all, from, asked) => {
      const log = openRefusalLog(8)
      for (const names of all) log.add(names)
      const mark = Math.min(from, all.length)
      const expected = all.length - mark > 8 || all.slice(mark).some((names) => names.includes(asked))
      assert.equal(log.hasSince(mark, [asked]), expected)
    }),
  )
})
