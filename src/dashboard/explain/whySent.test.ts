import assert from 'node:assert/strict'
import { test } from 'node:test'
import { whySentWords } from '#dashboard/words/en/whySent.ts'
import { whySent } from './whySent.ts'

test('a lawyer reads what a channel needs, which rule refused it and by which purpose', () => {
  const check = { category: 'advertising', isAllowed: false, rule: 'tcf', bit: 'purpose 4', vendor: 755 } as const
  assert.deepEqual(whySent({ ...check, purposes: [1, 4] }), [
    'The channel needs consent for advertising.',
    'Refused: the TC string of the visitor does not allow it.',
    'Refused by purpose 4 (choose ads by a profile).',
    'The tag needs the purposes 1 (store and read information on the device) and 4 (choose ads by a profile).',
    'It also needs consent for vendor 755 of the Global Vendor List.',
  ])
})

test('a bit that is no purpose is told as it is, and a string that cannot be read as a refusal', () => {
  const check = { category: 'advertising', isAllowed: false, rule: 'gpp' } as const
  assert.match(whySent({ ...check, bit: 'usca.SaleOptOut' })[2]!, /“usca\.SaleOptOut”/)
  assert.match(whySent({ ...check, bit: 'unreadable' })[2]!, /cannot be read/)
})

test('each rule has a sentence of its own that says first whether it allowed or refused', () => {
  const sentences = Object.values(whySentWords.rules)
  for (const sentence of sentences) assert.match(sentence, /^(Allowed|Refused): .*\.$/)
  assert.equal(new Set(sentences).size, sentences.length)
})
