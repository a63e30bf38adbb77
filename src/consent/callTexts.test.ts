import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { consentCategories } from '#contract/script.ts'
import { tag } from './consent.fixture.ts'
import { decideConsent } from './consent.ts'
import { readStatedConsent } from './statedConsent.ts'
import { encodeTcf, now, purposeIds } from './tcString.fixture.ts'
import { callTextsOf, textHeadersOf } from './text/callTexts.ts'
import type { CallTexts } from './text/textConsent.ts'

const names = textHeadersOf('Service')
const of = (headers: Record<string, string>) => callTextsOf(headers, names)

describe('a call', () => {
  test('brings the texts of its headers and of the cookie of the banner', () => {
    assert.deepEqual(of({ servicetcstring: 'CA', servicegppstring: 'DB', servicegppsections: '7, 8_x_-1' }), [
      { tcf: 'CA', gpp: 'DB', gppSections: [7, 8, -1] },
    ])
    assert.deepEqual(of({ cookie: 'a=b; euconsent-v2=CA.B; euconsent-v2=CC' }), [{ tcf: 'CA.B' }])
    assert.deepEqual(of({ cookie: 'euconsent-v2=CA', servicetcstring: 'CB' }), [{ tcf: 'CB' }, { tcf: 'CA' }])
  })

  test('without one brings none, and one that is too long is unreadable and not stored', () => {
    for (const headers of [{}, { cookie: 'a=b' }, { cookie: 'xeuconsent-v2=CA' }, { servicegppsections: '7' }])
      assert.equal(of(headers as Record<string, string>), undefined)
    assert.deepEqual(of({ cookie: `euconsent-v2=${'C'.repeat(8_001)}` }), [{ tcf: '' }])
  })
})

describe('the texts of a call', () => {
  const texts = (list: readonly string[]) => list.map((tcf): CallTexts => ({ tcf }))
  const decide = (given: object | undefined, callTexts: CallTexts[] | undefined, more: object = {}) => {
    const event = { timestamp: now, storage: given && { service: given } } as never
    const own = { ...tag, ...more }
    return decideConsent({
      stated: readStatedConsent(event, now, 'Service', own, callTexts),
      context: { trusted: false, hasExplicitUserId: true },
      tag: own,
    })
  }
  const allowed = (consent: ReturnType<typeof decide>, providerId = 'criteo' as const) =>
    consentCategories.filter((each) => consent.allows({ providerId, name: 'x' }, each)).join(' ')
  const every = consentCategories.join(' ')

  test('are an answer as those of the event are', () => {
    assert.equal(allowed(decide(undefined, texts([encodeTcf()]))), every)
    assert.equal(decide(undefined, texts([encodeTcf()])).trace.source, 'event')
    assert.equal(allowed(decide(undefined, texts(['rubbish']))), 'necessary')
    assert.equal(allowed(decide({ consent: { all: true } }, texts(['rubbish']))), 'necessary')
    assert.equal(
      allowed(decide({ consentCategories: { analytics: false, all: true } }, texts([encodeTcf()]))),
      'necessary advertising functional',
    )
    assert.equal(decide({ consentState: 'unanswered' }, texts([encodeTcf()])).trace.state, 'unanswered')
  })

  test('that differ count by the strictest, wherever they come from', () => {
    const subset = fc.subarray(purposeIds)
    const choice = fc.record({ purposes: subset, interests: subset, vendors: fc.subarray([21, 91, 755]) })
    const string = fc.oneof(
      choice.map((each) => encodeTcf(each)),
      fc.constantFrom('', 'rubbish'),
    )
    const category = fc.constantFrom(...consentCategories)
    fc.assert(
      fc.property(string, string, category, (one, other, each) => {
        const allows = (own: object | undefined, call: CallTexts[] | undefined) =>
          decide(own, call).allows({ providerId: 'criteo', name: 'x' }, each)
        const alone = allows(undefined, texts([one])) && allows(undefined, texts([other]))
        assert.equal(allows(undefined, texts([one, other])), alone)
        assert.equal(allows({ consentTexts: { tcf: one } }, texts([other])), alone)
      }),
      { numRuns: 150 },
    )
  })

  test('are read by the purposes, the vendors, the interests and the age that the tag sets', () => {
    const measured = texts([encodeTcf({ purposes: [1, 7], interests: [] })])
    assert.equal(allowed(decide(undefined, measured)), 'necessary')
    assert.match(allowed(decide(undefined, measured, { tcf: { purposes: { advertising: [1, 7] } } })), /advertising/)
    const { signals } = decide(undefined, measured, { tcf: { purposes: { advertising: [1, 7] } } })
    assert.deepEqual([signals.adUserData, signals.adPersonalization], ['granted', 'denied'])
    const noVendor = texts([encodeTcf({ vendors: [] })])
    assert.equal(allowed(decide(undefined, noVendor)), 'necessary')
    assert.equal(allowed(decide(undefined, noVendor, { tcf: { requireVendor: false } })), every)
    const byInterest = texts([encodeTcf({ purposes: [1, 3, 4] })])
    assert.match(allowed(decide(undefined, byInterest), 'awin' as never), /advertising/)
    const strict = { tcf: { allowLegitimateInterest: [] } }
    assert.doesNotMatch(allowed(decide(undefined, byInterest, strict), 'awin' as never), /advertising/)
    const lax = { tcf: { allowLegitimateInterest: [1, 3, 4, 7] } }
    assert.equal(allowed(decide(undefined, texts([encodeTcf({ purposes: [] })]), lax), 'awin' as never), 'necessary')
    const old = texts([encodeTcf({}, now - 5 * 86_400_000)])
    assert.equal(decide(undefined, old, { tcf: { maxAgeDays: 4 } }).trace.source, 'none')
    assert.equal(decide(undefined, old, { tcf: { maxAgeDays: 6 } }).trace.source, 'event')
  })
})
