import assert from 'node:assert/strict'
import { test } from 'node:test'
import { appIds } from './appIds.ts'
import { unknownConsent } from './consentSignals.ts'

const captured = { adid: { value: 'captured', at: 1 } }
const sources = { data: {}, custom: {}, captured, consent: unknownConsent }

test('an id of a device is that of the event, else of the person, else the captured one', () => {
  const read = (data: object, custom: object) =>
    appIds({ ...sources, data: { ...data }, custom: { ...custom } }, ['adid'])
  assert.deepEqual(read({ adid: 'event' }, { adid: 'person' }), { adid: 'event' })
  assert.deepEqual(read({}, { adid: 'person' }), { adid: 'person' })
  assert.deepEqual(read({}, {}), { adid: 'captured' })
  assert.deepEqual(read({ adid: 12 }, {}), { adid: '12' })
})

test('zeros alone, an empty text and anything else that is no text are no id', () => {
  for (const adid of ['00000000-0000-0000-0000-000000000000', ' ', 0, {}, null, 'x'.repeat(201)])
    assert.deepEqual(appIds({ ...sources, captured: {}, data: { adid } }, ['adid']), {})
})

test('nobody is identified by a device who does not share what identifies them', () => {
  const consent = { ...unknownConsent, sharePii: 'denied' as const }
  assert.deepEqual(appIds({ ...sources, consent, data: { adid: 'event' } }, ['adid']), {})
})
