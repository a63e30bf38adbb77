import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { RecordEvent } from '#event/record.ts'
import { readStatedConsent, type StoredConsent } from './statedConsent.ts'
import { encodeTcf, now } from './tcString.fixture.ts'
import { readConsentTexts } from './text/consentTexts.ts'
import type { CallTexts } from './text/textConsent.ts'
import { vendorConsentStrings } from './vendorConsentStrings.ts'

const tag = { scripts: [] }
const usca = 'DBABBg~BUUAAAAAAABA'
/** What a vendor gets from an event with these strings. */
function handed(
  consentTexts: object | undefined,
  { callTexts, own, source }: { callTexts?: CallTexts[]; own?: StoredConsent; source?: 'event' | 'stored' } = {},
) {
  const event = { eventId: 'e', eventName: 'Lead', timestamp: now, storage: { service: { consentTexts } } }
  const context = { receivedAt: now, ...(callTexts && { callTexts }) }
  const recordEvent = { event, context } as unknown as RecordEvent
  const stated = readStatedConsent(recordEvent.event, now, 'Service', tag, callTexts)
  return vendorConsentStrings(recordEvent, { key: 'service', stated, own, source: source ?? 'event' })
}
const tcf = encodeTcf()

describe('a vendor gets the string', () => {
  test('of the event as it came, with the law and the sections that apply', () => {
    assert.deepEqual(handed({ tcf, gdprApplies: true }), { tcf, gdprApplies: true })
    assert.deepEqual(handed({ tcf, gpp: usca, gppSections: [8] }), { tcf, gpp: usca, gppSections: [8] })
    assert.deepEqual(handed(undefined, { callTexts: [{ tcf }] }), { tcf })
    assert.equal(handed(undefined), undefined)
  })

  test('only if it can be read, is in time, and decided alone', () => {
    assert.equal(handed({ tcf: '!', gpp: 'D' }), undefined)
    assert.equal(handed({ tcf: 17, gpp: {} }), undefined)
    assert.equal(handed({ tcf: encodeTcf({}, now - 400 * 86_400_000) }), undefined)
    assert.deepEqual(handed({ tcf, gdprApplies: false }), { gdprApplies: false })
    const none = encodeTcf({ purposes: [] })
    assert.deepEqual(handed({ tcf }, { callTexts: [{ tcf }] }), { tcf })
    assert.deepEqual(handed({ tcf }, { callTexts: [{ tcf: none }] }), { tcf: none })
    const half = encodeTcf({ purposes: [1, 3] })
    const other = encodeTcf({ purposes: [3, 4] })
    assert.equal(handed({ tcf: half }, { callTexts: [{ tcf: other }] }), undefined)
    assert.equal(handed({ tcf }, { callTexts: [{ tcf: '!' }] }), undefined)
  })

  test('of the stored answer where that decided', () => {
    const texts = readConsentTexts({ tcf, gpp: usca }, now)!
    const own: StoredConsent = { at: now, texts, proof: { at: now, source: 'device', tcf, gpp: usca } }
    assert.deepEqual(handed(undefined, { own, source: 'stored' }), { tcf, gpp: usca })
    assert.deepEqual(handed({}, { own, source: 'event' }), { gpp: usca })
    const { proof: _, ...unproved } = own
    assert.equal(handed(undefined, { own: unproved, source: 'stored' }), undefined)
    const changed = { ...own, texts: readConsentTexts({ tcf: encodeTcf({ purposes: [1] }) }, now)! }
    assert.equal(handed(undefined, { own: changed, source: 'stored' }), undefined)
    const objected = { at: now, texts, objected: { at: now, source: 'device' as const, gpp: usca } }
    assert.deepEqual(handed(undefined, { own: objected, source: 'stored' }), { gpp: usca })
  })
})
