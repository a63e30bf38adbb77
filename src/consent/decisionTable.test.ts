import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { consentCategories } from '#contract/script.ts'
import type { SaleOptOut } from '#contract/tag.ts'
import { cases } from '../../test/fake/cases.ts'
import { tag } from './consent.fixture.ts'
import { decideConsent } from './consent.ts'
import { decisionTable, vendorKinds } from './decisionTable.ts'
import { readStatedConsent } from './statedConsent.ts'
import { encodeTcf, now, purposeIds } from './tcString.fixture.ts'
import type { CallTexts } from './text/textConsent.ts'

/** Columns per row: necessary, advertising, analytics, functional; identifying values; Google's two signals. */
const expected: Record<string, string> = {
  nothing: 'no no no no · no · unknown unknown',
  'nothing, on a tag with `consent: disabled`': 'yes yes yes yes · yes · unknown unknown',
  '`consentState: unanswered`': 'no no no no · no · unknown unknown',
  '`all: true`': 'yes yes yes yes · yes · granted granted',
  '`all: true`, granted by default': 'yes yes yes yes · yes · granted granted',
  '`all: false`': 'yes no no no · yes · denied denied',
  '`advertising: false`': 'yes no yes yes · yes · denied denied',
  '`share_pii: false`': 'yes yes yes yes · no · denied granted',
  '`ad_personalization: false`': 'yes yes yes yes · yes · granted denied',
  '`Sec-GPC`, on a tag with `gpc`': 'yes no yes yes · no · denied denied',
  'TCF: everything': 'yes yes yes yes · yes · granted granted',
  'TCF: nothing': 'yes no no no · yes · denied denied',
  'TCF: without purpose 1': 'yes no no no · yes · denied denied',
  'TCF: without purposes 3 and 4': 'yes no yes yes · yes · denied denied',
  'TCF: without purpose 7, with its legitimate interest': 'yes other yes yes · yes · granted granted',
  'TCF: without purposes 8 and 9': 'yes yes no yes · yes · granted granted',
  'TCF: vendor not disclosed': 'yes additional,other additional,other additional,other · yes · granted granted',
  'TCF: vendor refused': 'yes additional,other additional,other additional,other · yes · granted granted',
  'TCF: no additional consent': 'yes listed,other listed,other listed,other · yes · granted granted',
  'TCF: unreadable': 'yes no no no · yes · denied denied',
  'GPP: no objection': 'yes yes yes yes · yes · granted granted',
  'GPP: opt-out of sale, or a child': 'yes no yes yes · no · denied denied',
  'GPP: opt-out of sharing or of targeted advertising': 'yes no yes yes · yes · denied denied',
  'GPP: opt-out of sale and nothing else, with `saleOptOut: limitedUse`, to a vendor that has a limited use':
    'yes yes yes yes · yes · denied denied',
  'GPP: sensitive data': 'yes yes yes yes · no · denied granted',
  'GPP: `Gpc`, on a tag with `gpc`': 'yes no yes yes · no · denied denied',
  'GPP: unreadable': 'yes no no no · no · denied denied',
  'GPP: opt-out of sale, alone': 'no no no no · no · unknown unknown',
  'GPP: opt-out of sale, on a tag with `consent: disabled`': 'yes no yes yes · no · denied denied',
  'GPP: Canada without purpose 4': 'yes no yes yes · yes · denied denied',
}

test('each signal lets through what the page on consent says, cell by cell', () => {
  const found = decisionTable().map(({ says, cells, sharePii, adUserData, adPersonalization }) => [
    says,
    `${cells.map((each) => each.replaceAll(', ', ',')).join(' ')} · ${sharePii} · ${adUserData} ${adPersonalization}`,
  ])
  assert.deepEqual(Object.fromEntries(found), expected)
  assert.equal(found.length, Object.keys(expected).length)
})

// GPP strings: California with an opt-out of sale, one that objects to nothing, one with the EU and US privacy sections, and
// two unreadable ones.
const gppTexts = [
  'DBABBg~BVoYYYQg',
  'DBABBg~BVqqqqpg',
  'DBACNY~CPXxRfAPXxRfAAfKABENB-CgAAAAAAAAAAYgAAAAAAAA~1YYN',
  'DBA',
  '',
]
const tcfTexts = [
  ...[encodeTcf(), encodeTcf({ purposes: [] }), encodeTcf({ purposes: [1, 7] }), encodeTcf({ vendors: [] })],
  ...[encodeTcf({ purposes: purposeIds.filter((id) => id !== 8) }), 'rubbish'],
]
const flag = fc.option(fc.boolean(), { nil: undefined })
const names = ['all', ...consentCategories, 'share_pii', 'ad_personalization']
const signal = fc.record({
  categories: fc.option(fc.record(Object.fromEntries(names.map((name) => [name, flag]))), { nil: undefined }),
  tcf: fc.option(fc.constantFrom(...tcfTexts), { nil: undefined }),
  gpp: fc.option(fc.constantFrom(...gppTexts), { nil: undefined }),
  header: fc.option(fc.constantFrom(...tcfTexts), { nil: undefined }),
  gppHeader: fc.option(fc.constantFrom(...gppTexts), { nil: undefined }),
  gpc: fc.boolean(),
  state: fc.constantFrom(undefined, undefined, 'unanswered', 'default'),
})
type Signals = typeof signal extends fc.Arbitrary<infer Each> ? Each : never

function decide({ categories, tcf, gpp, header, gppHeader, gpc, state }: Partial<Signals>, saleOptOut: SaleOptOut) {
  const texts = { ...(tcf !== undefined && { tcf }), ...(gpp !== undefined && { gpp }) }
  const service = {
    ...(categories && { consentCategories: categories }),
    ...(Object.keys(texts).length > 0 && { consentTexts: { ...texts, addtlConsent: '2~89~dv.' } }),
    ...(state && { consentState: state }),
  }
  const event = { timestamp: now, storage: { service } } as never
  const call: CallTexts[] = [
    ...(header === undefined ? [] : [{ tcf: header }]),
    ...(gppHeader === undefined ? [] : [{ gpp: gppHeader }]),
  ]
  return decideConsent({
    stated: readStatedConsent(event, now, 'Service', tag, call.length > 0 ? call : undefined),
    context: { trusted: false, hasExplicitUserId: true, ...(gpc && { gpc: true as const }) },
    tag: { ...tag, gpc: true, saleOptOut },
  })
}

const saleOptOuts = fc.constantFrom<SaleOptOut>('refuse', 'limitedUse')
const isGranted = (word: string) => word === 'granted'

test('adding any signal never adds a delivery, a value or a grant that a stricter signal refuses', () => {
  const members = ['categories', 'tcf', 'gpp', 'header', 'gppHeader', 'gpc', 'state'] as const
  fc.assert(
    fc.property(signal, fc.constantFrom(...members), saleOptOuts, fc.boolean(), (given, added, setting, limitsUse) => {
      const { [added]: _, ...rest } = given
      const [whole, before] = [decide(given, setting), decide(rest, setting)]
      if (before.trace.source === 'none') return // without an answer, nothing can be stricter
      for (const providerId of Object.values(vendorKinds))
        for (const category of consentCategories) {
          const allows = (each: typeof whole) => each.allows({ providerId, name: 'x' }, category, limitsUse)
          assert.ok(!allows(whole) || allows(before), `${added} adds ${category} for ${providerId}`)
        }
      const shares = (each: typeof whole) => ((limitsUse && each.limited) || each).sharePii
      assert.ok(!shares(whole) || shares(before), `${added} adds identifying values`)
      for (const name of ['advertising', 'adUserData', 'adPersonalization'] as const)
        assert.ok(before.signals[name] !== 'denied' || !isGranted(whole.signals[name]), `${added} grants ${name}`)
    }),
    { numRuns: cases(2_000) },
  )
})
