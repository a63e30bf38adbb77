import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { Fault } from '#contract/fault.ts'
import { decodePlace, encodePlace } from './places.ts'

const same = (text: string) => text

test('the cursor of a delivery names its place, also of a position with 53 bits', () => {
  const place = fc.record({
    position: fc.nat({ max: Number.MAX_SAFE_INTEGER }),
    idx: fc.nat(),
    script: fc.stringMatching(/^(scr_[0-9a-z]{1,30})?$/),
  })
  fc.assert(fc.property(place, (each) => assert.deepEqual(decodePlace(encodePlace(each), same), { ...each })))
})

test('any other text is badRequest', () => {
  const texts = [
    '',
    'nope',
    '1.2',
    '1.2.scr_1.3',
    '-1.2.scr_1',
    '01.2.scr_1',
    '9999999999999999.2.scr_1',
    '1.9999999999.',
  ]
  const cursors = [...texts, ...texts.map((each) => Buffer.from(each).toString('base64url'))]
  for (const [cursor, each] of cursors.flatMap((text) => [[text, same] as const, [text, Number] as const]))
    assert.throws(
      () => decodePlace(cursor, each),
      (problem) => problem instanceof Fault && problem.status === 400,
      cursor,
    )
})
