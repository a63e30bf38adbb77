import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { decideConsent } from '#consent/consent.ts'
import { readStatedConsent } from '#consent/statedConsent.ts'
import { vendorTable } from '#consent/text/vendorTable.ts'
import { DeliveryFacts } from '#contract/deliveryFacts.ts'
import type { DeliveryReason } from '#contract/deliveryStatus.ts'
import type { ProviderId } from '#contract/providerIds.ts'
import { consentCategories } from '#contract/script.ts'
import { compileValidator } from '#contract/validator.ts'
import type { Provider } from '#provider/form/provider.ts'
import { providers } from '#providers/index.ts'
import type { SnapshotScript } from '#script/snapshot.ts'
import { consentCheck } from './consentCheck.ts'
import { type DecidedDelivery, deliveryFacts } from './deliveryFacts.ts'

const script: SnapshotScript = {
  scriptId: 'scr_1',
  name: 'ads',
  providerId: 'facebook',
  purchaseValueMode: 'gross',
  secrets: {},
}
const event = { eventName: 'Nothing', eventId: 'e', timestamp: 1_000 }
const context = {
  tagId: 'tag_1',
  teamId: 'team_1',
  userId: 'usr_1',
  hasExplicitUserId: true,
  trusted: false,
  receivedAt: 1_000,
}
const factsOf = (reason: DeliveryReason, more: Partial<DecidedDelivery> = {}) =>
  deliveryFacts({
    reason,
    script,
    provider: providers.facebook!,
    consent: { source: 'none' },
    place: { country: 'DE', source: 'request' },
    at: 9_000,
    recorded: { event, context },
    ...more,
  })

test('the facts of a consent name the category that was needed and what refused it', () => {
  const consent = (decided: Record<string, unknown>) =>
    factsOf('consent', { consent: { source: 'event', decided } })?.consent
  assert.deepEqual(factsOf('consent')?.consent, { category: 'advertising', refusedBy: 'none' })
  const category = { consentCategories: { analytics: true } }
  assert.deepEqual(consent(category), { category: 'advertising', refusedBy: 'category', map: category })
  assert.equal(consent({ consent: { all: true, facebook: false } })?.refusedBy, 'provider')
  assert.equal(consent({ consent: { all: true }, gpc: true })?.refusedBy, 'gpc')
  assert.equal(consent({ consent: { all: true }, others: [{ consent: { all: false } }] })?.refusedBy, 'others')
})

test('the facts of a TC string name the bit that refused, with the vendor ids of the forms', () => {
  const tcf = {
    ...{ lastUpdated: 1, cmpId: 1, listVersion: 1, policyVersion: 5, isServiceSpecific: true, restrictions: [] },
    ...{ purposes: [1, 3], interests: [], vendors: [], vendorInterests: [], disclosed: [], consented: [] },
  }
  const consent = factsOf('consent', { consent: { source: 'event', decided: { tcf } } })?.consent
  assert.deepEqual([consent?.refusedBy, consent?.bit], ['tcf', 'purpose 4'])
  for (const [providerId, { gvlId, googleAtpId }] of Object.entries(providers)) {
    const row = vendorTable[providerId as ProviderId]
    assert.deepEqual([gvlId, googleAtpId], [row?.gvlId, row?.googleAtpId], providerId)
  }
})

test('the rule of an event that was sent for limited use is that, by the settings of its time', () => {
  const gpp = { sections: [8], advertising: 'usca.SaleOptOut', sharePii: 'usca.SaleOptOut', saleAlone: true }
  const decided = { consentCategories: { advertising: true }, gpp }
  const channel = { script, provider: providers.facebook!, consent: { source: 'event' as const, decided } }
  const limited = { settings: { saleOptOut: 'limitedUse' as const } }
  assert.deepEqual(consentCheck({ ...channel, ...limited }, false), {
    ...{ category: 'advertising', isAllowed: true, rule: 'limitedUse' },
  })
  const { isAllowed, rule, bit } = consentCheck(channel, true)
  assert.deepEqual([isAllowed, rule, bit], [false, 'gpp', 'usca.SaleOptOut'])
  assert.equal(consentCheck({ ...channel, ...limited, provider: providers.criteo! }, true).rule, 'gpp')
})

test('what refuses by the facts is what refused by the decision', () => {
  const flag = fc.option(fc.boolean(), { nil: undefined })
  const map = (keys: readonly string[]) =>
    fc.option(fc.record(Object.fromEntries(keys.map((key) => [key, flag]))), { nil: undefined })
  const maps = fc.record({
    consent: map(['all', 'facebook', 'klaviyo']),
    consentCategories: map(['all', ...consentCategories]),
  })
  fc.assert(
    fc.property(maps, fc.boolean(), fc.constantFrom(...consentCategories), (given, gpc, category) => {
      const chosen = { ...script, consentCategory: category }
      const storage = { service: JSON.parse(JSON.stringify(given)) }
      const tag = { consent: 'enabled' as const, gpc: true, scripts: [chosen] }
      const asked = {
        stated: readStatedConsent({ ...event, storage }, event.timestamp, 'Service', tag),
        context: { ...context, ...(gpc && { gpc }) },
        tag,
      }
      const decided = decideConsent(asked)
      if (decided.allows(chosen, category)) return
      const facts = factsOf('consent', { script: chosen, consent: decided.trace })?.consent
      const { consent, consentCategories: categories } = given
      if (facts?.refusedBy === 'none') assert.ok(!consent && !categories)
      if (facts?.refusedBy === 'gpc') assert.ok(gpc && category === 'advertising')
      if (facts?.refusedBy === 'provider') assert.ok(consent && consent.facebook !== true)
      if (facts?.refusedBy === 'category') assert.ok(categories && categories[category] !== true)
      assert.notEqual(facts?.refusedBy, 'others')
    }),
  )
})

test('each other reason has the facts that decided it', () => {
  assert.deepEqual(factsOf('region', { script: { ...script, geoRegions: 'US' } }), {
    region: { regions: 'US', place: { country: 'DE', source: 'request' } },
  })
  assert.deepEqual(factsOf('notSelected', { recorded: { event: { ...event, providers: ['klaviyo'] }, context } }), {
    notSelected: { providers: ['klaviyo'] },
  })
  assert.deepEqual(factsOf('filtered', { filteredBy: 'botFilter' }), { filtered: { plugin: 'botFilter' } })
  const own = { ...context, originScriptIds: ['scr_1'] }
  assert.deepEqual(factsOf('filtered', { recorded: { event, context: own } }), { filtered: { setting: 'origin' } })
  assert.deepEqual(factsOf('tooOld')?.tooOld, { maxAgeMs: providers.facebook!.maxAgeMs, ageMs: 8_000 })
  const { needs } = factsOf('identityMissing')!.identityMissing!
  assert.ok(needs.length > 0 && needs.every((each) => each.length > 0 && each.every((name) => name !== '')))
  assert.equal(factsOf('vendorDown'), undefined)
})

test('the facts of an event that is not supported list the events that are, and whether any other name is, in either way', () => {
  const { customEventName: _, eventMapping: __, ...listed } = providers.facebook!
  const takes = (provider: Provider) => factsOf('eventNotSupported', { provider })?.eventNotSupported
  const events = Object.keys(listed.events)
  assert.ok(events.includes('Purchase'))
  assert.deepEqual(takes(listed), { takes: events, takesCustom: false })
  assert.equal(takes({ ...listed, customEventName: (name) => name })?.takesCustom, true)
  assert.equal(takes({ ...listed, eventMapping: 'EVENTS' })?.takesCustom, true)
})

test('the facts of every provider and reason are as the contract declares them', () => {
  const check = compileValidator(DeliveryFacts)
  for (const provider of Object.values(providers))
    for (const reason of [
      'consent',
      'region',
      'notSelected',
      'filtered',
      'identityMissing',
      'eventNotSupported',
      'tooOld',
    ] as const) {
      const facts = factsOf(reason, { provider })
      if (facts) assert.deepEqual(check(facts), [])
    }
})
