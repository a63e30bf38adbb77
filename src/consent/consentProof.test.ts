import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { suite, test } from 'node:test'
import fc from 'fast-check'
import { noUserFacts, updateProfile } from '#user/profile.ts'
import { anyCodePoint } from '../../test/fake/anyCodePoint.ts'
import { mergeConsent } from './consent.ts'
import { proofOfEvent, withProof } from './consentProof.ts'
import { readStatedConsent } from './statedConsent.ts'
import { encodeTcf } from './tcString.fixture.ts'

const receivedAt = Date.UTC(2026, 10, 26)
const eventOf = (service: object, more: object = {}) => ({
  ...{ eventName: 'Purchase', eventId: 'evt_1', timestamp: receivedAt },
  ...more,
  storage: { service },
})
const untrusted = { trusted: false }
const stored = (service: object, { at = receivedAt, trusted = false, ...more }: Record<string, unknown> = {}) => {
  const event = { ...eventOf(service, more), timestamp: at as number }
  const { consent } = readStatedConsent(event, at as number, 'Service', { scripts: [] })
  return withProof(consent!, { event, context: { trusted: trusted === true } }, 'service')
}
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
const agreed = { consentCategories: { all: true } }

suite('the proof of an answer', () => {
  test('names the banner, its version, the version of its text and its strings', () => {
    const texts = {
      banner: 'klaro',
      version: 3,
      textVersion: '2026-04',
      tcf: 'CQSb',
      gpp: 'DBAB~1YNN',
      gppSections: [6],
    }
    assert.deepEqual(
      proofOfEvent({ event: eventOf({ consentTexts: texts }), context: untrusted }, { key: 'service', at: 7 }),
      {
        ...{ at: 7, source: 'device', eventId: 'evt_1', banner: 'klaro', version: '3', textVersion: '2026-04' },
        ...{ tcf: 'CQSb', gpp: 'DBAB~1YNN', gppSections: [6] },
      },
    )
  })

  test('says through whom it came: a token, a device, or a device that claims to be a person', () => {
    const sourceOf = (more: object, trusted = false) => stored(agreed, { ...more, trusted }).proof?.source
    assert.equal(sourceOf({}), 'device')
    assert.equal(sourceOf({ userEmail: 'jane@example.com' }), 'claim')
    assert.equal(sourceOf({ data: { userCustomerId: '4711' } }), 'claim')
    assert.equal(sourceOf({ userEmail: 'jane@example.com' }, true), 'trusted')
  })

  test('has the strings of the call where the event brings none', () => {
    const context = { trusted: false, callTexts: [{ tcf: 'ofHeader' }, { tcf: 'ofCookie' }] }
    const of = (service: object) => proofOfEvent({ event: eventOf(service), context }, { key: 'service', at: 1 }).tcf
    assert.equal(of({}), 'ofHeader')
    assert.equal(of({ consentTexts: { tcf: 'own' } }), 'own')
  })

  test('keeps a string over 1 KiB as its SHA-256 in the profile, and whole for the event', () => {
    const [short, long] = ['A'.repeat(1_024), 'A'.repeat(1_025)]
    assert.equal(stored({ consentTexts: { tcf: short } }).proof?.tcf, short)
    const { tcf, tcfSha256 } = stored({ consentTexts: { tcf: long } }).proof!
    assert.deepEqual([tcf, tcfSha256], [undefined, sha256(long)])
    const whole = proofOfEvent(
      { event: eventOf({ consentTexts: { tcf: long } }), context: untrusted },
      { key: 'service', at: 1 },
    )
    assert.equal(whole.tcf, long)
  })

  test('is at most 2 KiB in a profile, whatever a stranger sends', () => {
    const text = fc.oneof(
      fc.string({ unit: anyCodePoint, maxLength: 3_000 }),
      fc.constant('"'.repeat(1_024)),
      fc.constant('A'.repeat(1_024)),
      fc.constant('\u0000'.repeat(64)),
      fc.constant('ü'.repeat(64)),
      fc.anything(),
    )
    const names = ['banner', 'version', 'textVersion', 'tcf', 'addtlConsent', 'gpp', 'gdprApplies', 'gppSections']
    const texts = fc.record(Object.fromEntries(names.map((name) => [name, text])))
    fc.assert(
      fc.property(texts, fc.oneof(fc.anything(), texts), (consentTexts, other) => {
        for (const given of [consentTexts, other]) {
          const event = eventOf({ ...agreed, consentTexts: given })
          const { proof } = withProof({ at: 1 }, { event, context: untrusted }, 'service')
          assert.ok(Buffer.byteLength(JSON.stringify(proof)) <= 2 * 1_024)
        }
      }),
    )
  })
})

suite('the stored consent of a visitor', () => {
  const shown = { banner: 'klaro', version: '3', textVersion: '1' }

  test('keeps the proof of the first event that brings the answer, however often the answer is repeated', () => {
    const first = stored({ ...agreed, consentTexts: shown })
    const later = stored({ ...agreed, consentTexts: shown }, { at: receivedAt + 1_000, eventId: 'evt_2' })
    assert.equal(mergeConsent(first, later), first)
    const without = stored(agreed, { at: receivedAt + 2_000 })
    assert.equal(mergeConsent(first, without), first)
  })

  test('has a new proof where the visitor answers another text, banner or string', () => {
    const first = stored({ ...agreed, consentTexts: shown })
    for (const change of [{ textVersion: '2' }, { banner: 'didomi' }, { version: '4' }, { gpp: 'DBAA' }]) {
      const later = stored({ ...agreed, consentTexts: { ...shown, ...change } }, { at: receivedAt + 1_000 })
      const { proof, at } = mergeConsent(first, later)!
      assert.deepEqual([proof, at], [later.proof, receivedAt + 1_000])
    }
  })

  test('keeps the proof of an answer beside that of a later objection by US law', () => {
    const answer = stored({ ...agreed, consentTexts: { banner: 'tcf', tcf: encodeTcf() } })
    const objection = stored({ consentTexts: { banner: 'gpp', gpp: 'DBABTA~1YYN' } }, { at: receivedAt + 1_000 })
    const both = mergeConsent(answer, objection)!
    const { banner: _, ...byString } = objection.proof!
    assert.deepEqual([both.proof, both.objected], [answer.proof, byString])
    assert.equal(both.objected?.gpp, 'DBABTA~1YYN')
    const again = stored({ consentCategories: { all: false } }, { at: receivedAt + 2_000 })
    const { proof, objected } = mergeConsent(both, again)!
    assert.deepEqual([proof, objected], [again.proof, byString])
  })

  test('is in the profile with its proof, and a repetition does not change the profile', () => {
    const consent = stored({ ...agreed, consentTexts: shown })
    const profile = updateProfile(undefined, noUserFacts, { at: receivedAt, consent })!
    assert.deepEqual(profile.consent?.proof, consent.proof)
    const again = stored({ ...agreed, consentTexts: shown }, { at: receivedAt + 5 })
    assert.equal(updateProfile(profile, noUserFacts, { at: receivedAt + 5, consent: again }), profile)
  })
})
