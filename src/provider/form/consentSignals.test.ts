import assert from 'node:assert/strict'
import { test } from 'node:test'
import { consentWord, isOptedOut, unknownConsent } from './consentSignals.ts'

test('a vendor gets its own word for a consent that is known, and no word for one that is not', () => {
  const words = { granted: 'GRANTED', denied: 'DENIED' }
  assert.deepEqual(
    (['granted', 'denied', 'unknown'] as const).map((signal) => consentWord(signal, words)),
    ['GRANTED', 'DENIED', undefined],
  )
})

test('only who refused advertising is opted out', () => {
  const optedOut = (['granted', 'denied', 'unknown'] as const).map((advertising) =>
    isOptedOut({ ...unknownConsent, advertising }),
  )
  assert.deepEqual(optedOut, [false, true, false])
})
