import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { providerIds } from '#contract/providerIds.ts'
import { consentCategories } from '#contract/script.ts'
import { tcfDefaults } from '#contract/tcfDefaults.ts'
import { cases } from '../../test/fake/cases.ts'
import { allowsCase, type ConsentCase, readCase } from './consent.fixture.ts'
import { consentStateOf } from './consentState.ts'
import { tcfChoices as choices, dayMs, encodeTcf as encode, now } from './tcString.fixture.ts'
import { readConsentTexts } from './text/consentTexts.ts'
import { tcfRefusal } from './text/tcfRefusal.ts'
import type { ReadTcf } from './text/textConsent.ts'
import { vendorTable } from './text/vendorTable.ts'

// Imported by name at run time, so that a checkout without the test oracle still type-checks.
const { TCString } = await import('@iabtechlabtcf/core' as string)
const { purposes: tcfPurposes } = tcfDefaults
const interestPurposes: readonly number[] = tcfDefaults.allowLegitimateInterest
const [forbidden, needsConsent, needsInterest] = [0, 1, 2]

const texts = (tcf: unknown, more: object = {}) => ({ consentTexts: { tcf, ...more } })
const read = (given: object) => readCase({ ...given, receivedAt: now } as ConsentCase)
const refusalOf = (tcf: unknown, providerId: (typeof providerIds)[number], category = 'advertising', more = {}) => {
  const given = readConsentTexts({ tcf, ...more }, now)
  return given?.tcf && tcfRefusal(given.tcf, providerId, category as 'advertising')
}

/** The decision according to the specification, using the model of IAB's decoder. */
function expected(
  text: string,
  providerId: (typeof providerIds)[number],
  category: 'advertising' | 'analytics' | 'functional',
) {
  const model = TCString.decode(text)
  const { gvlId, googleAtpId, interests = [], flexible = [] } = vendorTable[providerId] ?? {}
  const hasBasis = (purpose: number) => {
    type Restriction = { purposeId: number; restrictionType: number }
    const types: Restriction[] = gvlId === undefined ? [] : model.publisherRestrictions.getRestrictions(gvlId)
    const own = types.filter(({ purposeId }) => purposeId === purpose).map(({ restrictionType }) => restrictionType)
    if (own.includes(forbidden!)) return false
    if (model.purposeConsents.has(purpose) && !own.includes(needsInterest!)) return true
    if (own.includes(needsConsent!) || !interestPurposes.includes(purpose)) return false
    if (!model.purposeLegitimateInterests.has(purpose) || googleAtpId !== undefined) return false
    if (gvlId === undefined) return true
    return [...interests, ...flexible].includes(purpose) && model.vendorLegitimateInterests.has(gvlId)
  }
  const isVendorAllowed =
    gvlId === undefined
      ? googleAtpId === undefined
      : model.vendorsDisclosed.has(gvlId) && model.vendorConsents.has(gvlId)
  return tcfPurposes[category].every(hasBasis) && isVendorAllowed
}

describe('a TC string', () => {
  test('decides each provider and category as the model of IAB’s own decoder does', () => {
    fc.assert(
      fc.property(choices, (choice) => {
        const text = encode(choice)
        for (const providerId of providerIds)
          for (const category of ['advertising', 'analytics', 'functional'] as const)
            assert.equal(
              refusalOf(text, providerId, category) === undefined,
              expected(text, providerId, category),
              `${providerId} ${category} ${text}`,
            )
      }),
      { numRuns: cases(300) },
    )
  })

  test('of the specification is read', () => {
    const text = 'CQSbk4AQSbk4ANwAAAENAwCgAAAAAAAAAAYgACPAAAAA.IDKQA4AAgAKAGQAygAAA.YAAAAAAAAAAA'
    const given = readConsentTexts({ tcf: text }, Date.UTC(2025, 7, 1))
    const { cmpId, listVersion, isServiceSpecific, disclosed } = given!.tcf as ReadTcf
    assert.deepEqual([cmpId, listVersion, isServiceSpecific], [880, 48, true])
    assert.ok(disclosed)
  })

  test('names the bit that refuses', () => {
    assert.equal(refusalOf(encode(), 'criteo'), undefined)
    assert.equal(refusalOf(encode({ purposes: [1, 3, 7] }), 'criteo'), 'purpose 4')
    assert.equal(refusalOf(encode({ vendors: [755] }), 'criteo'), 'vendor 91 refused')
    assert.equal(refusalOf(encode({ disclosed: [755] }), 'criteo'), 'vendor 91 not disclosed')
    assert.equal(refusalOf(encode({ restrictions: [[3, 0, 91]] }), 'criteo'), 'purpose 3')
    assert.equal(refusalOf(encode(), 'facebook'), 'additional consent 89')
    assert.equal(refusalOf(encode(), 'facebook', 'advertising', { addtlConsent: '2~1.89~dv.9' }), undefined)
    for (const wrong of ['2~189~dv.89', '3~89', '2~~dv.89', 89, `1~${'89.'.repeat(4_000)}`])
      assert.equal(refusalOf(encode(), 'facebook', 'advertising', { addtlConsent: wrong }), 'additional consent 89')
    assert.equal(refusalOf(encode({ purposes: [] }), 'criteo', 'necessary'), undefined)
  })

  test('and a map must both allow, and the law where it does not apply asks for none', () => {
    const agreed = { consentCategories: { all: true } }
    const criteo = { providerId: 'criteo', name: 'x' } as const
    const allows = (given: object) => read(given).allows(criteo, 'advertising')
    assert.equal(allows(texts(encode())), true)
    assert.equal(allows({ ...texts(encode()), consentCategories: { advertising: false } }), false)
    assert.equal(allows({ ...texts(encode({ purposes: [] })), ...agreed }), false)
    assert.equal(allows({ ...texts(encode({ purposes: [] }), { gdprApplies: false }), ...agreed }), true)
    assert.equal(read(texts(encode({ purposes: [] }), { gdprApplies: false })).trace.source, 'none')
  })

  test('that is too old or of tomorrow is none; a newer list and a missing segment are told', () => {
    assert.equal(readConsentTexts({ tcf: encode({}, now - 391 * dayMs) }, now), undefined)
    assert.equal(readConsentTexts({ tcf: encode({}, now + 2 * dayMs) }, now), undefined)
    const warningsOf = (text: string) => (readConsentTexts({ tcf: text }, now)!.tcf as ReadTcf).warnings
    assert.equal(warningsOf(encode()), undefined)
    const version4032 = `${encode().slice(0, 20)}_A${encode().slice(22)}` // its twelve bits, from bit 120
    assert.deepEqual(warningsOf(version4032), ['TCF_LIST_NEWER'])
    const [core] = encode().split('.')
    assert.deepEqual(warningsOf(core!), ['TCF_WITHOUT_DISCLOSED_VENDORS'])
    assert.equal(refusalOf(core, 'criteo'), 'vendor 91 not disclosed')
    const [older] = encode({}, Date.UTC(2026, 1, 1)).split('.')
    assert.equal(refusalOf(older, 'criteo'), undefined)
  })

  test('is kept in the trace with its state, and gives vendors their signals', () => {
    const agreed = read(texts(encode()))
    assert.deepEqual([consentStateOf(agreed.trace), agreed.signals.advertising], ['agreed', 'granted'])
    const refused = read(texts(encode({ purposes: [], interests: [] })))
    assert.deepEqual([consentStateOf(refused.trace), refused.signals.advertising], ['refused', 'denied'])
    assert.ok(JSON.stringify(agreed.trace).length < 1_000)
  })
})

describe('a text that cannot be read', () => {
  const good = encode()
  const [core, ...rest] = good.split('.')
  const ranges = (count: number) => `C${'/'.repeat(count)}`
  const wrong: unknown[] = [
    '',
    'x',
    7,
    {},
    ['tcf'],
    true,
    `${core}=`,
    `${core!.slice(0, 30)}`,
    `${core}.${rest.join('.')}.${rest.join('.')}`,
    `${rest.join('.')}.${core}`,
    `B${core!.slice(1)}`,
    `${good}\u0000`,
    `${good}ü`,
    'C'.repeat(1_000_000),
    `${core}${'.'.repeat(1_000_000)}`,
    `${core}.${'_'.repeat(7_000)}`,
    ranges(7_000),
  ]

  test('refuses all but the necessary, never consents, and is never no answer', () => {
    for (const text of wrong) {
      const consent = read({ ...texts(text), consentCategories: { all: true } })
      for (const providerId of ['criteo', 'facebook', 'klaviyo'] as const)
        for (const category of consentCategories)
          assert.equal(
            consent.allows({ providerId, name: 'x' }, category),
            category === 'necessary',
            `${text}`.slice(0, 40),
          )
      assert.deepEqual([consent.trace.source, consentStateOf(consent.trace)], ['event', 'refused'])
      assert.equal(consent.signals.advertising, 'denied')
    }
  })

  test('is found without an exception in any other bytes, in a time that is bounded', () => {
    fc.assert(
      fc.property(fc.nat(core!.length - 1), fc.string({ minLength: 1, maxLength: 3 }), (at, noise) => {
        const text = `${core!.slice(0, at)}${noise}${core!.slice(at + 1)}`
        const given = { ...texts(text), consentCategories: { all: false } } as ConsentCase
        for (const category of consentCategories) assert.equal(allowsCase(given, category), category === 'necessary')
      }),
    )
    const timeOf = (length: number) => {
      const from = process.cpuUsage()
      for (let n = 0; n < 50; n++) refusalOf(`${core}${'A'.repeat(length)}.${'I'.repeat(length)}${n}`, 'criteo')
      const { user, system } = process.cpuUsage(from)
      return user + system
    }
    timeOf(1_000)
    assert.ok(timeOf(3_500) < 50 * 5_000, 'at most 5 ms for 8 kB')
  })
})

test('a string never adds a delivery that the maps refuse, and no map one that a string refuses', () => {
  const map = fc.dictionary(fc.constantFrom('all', ...consentCategories), fc.boolean())
  fc.assert(
    fc.property(choices, map, fc.constantFrom(...providerIds), (choice, consentMap, providerId) => {
      const text = texts(encode(choice))
      for (const category of consentCategories) {
        const allows = (given: object) => read(given).allows({ providerId, name: 'x' }, category)
        const both = allows({ ...text, consentCategories: consentMap })
        assert.equal(both, allows(text) && allows({ consentCategories: consentMap }))
      }
    }),
    { numRuns: cases(200) },
  )
})
