import assert from 'node:assert/strict'
import { test } from 'node:test'
import { buildRequests } from '#provider/engine/buildRequests.ts'
import { exampleEventAt, exampleInput } from '#provider/engine/exampleRequests.ts'
import type { Provider } from '#provider/form/provider.ts'
import { examplesOf } from './examples/all.ts'
import { providers } from './index.ts'

const dayMs = 86_400_000
const order = { eventName: 'Purchase', data: { value: 5, currency: 'EUR', orderId: 'A-1001' } }

/** The names under which each network's click ids are captured. Omits names that count only in pairs. */
const networks = {
  affiliate: ['click_id'],
  awin: ['awc', 'awin_awc'],
  cj: ['cjevent', 'CJEVENT', 'cje'],
  everflow: ['_ef_transaction_id', 'ef_transaction_id'],
  impact: ['im_ref', 'irclickid', 'impact_cid'],
  partnerize: ['clickref', 'partnerizeClickReference'],
  rakuten: ['ranSiteID', 'siteID', 'rakuten_site_id'],
  refersion: ['rfsn', 'refersion_rfsn'],
  tune: ['transaction_id', 'tune_transaction_id', 'tid', 'aff_sub'],
} as const

/** The requests for an order after these clicks. The values are the ages of the clicks in days. */
function sentAfter(
  id: keyof typeof networks,
  clicks: Readonly<Record<string, { value: string; days: number }>>,
): string {
  const each = providers[id] as Provider
  const { secrets } = examplesOf(id).find(
    ({ event, sends }) => event.eventName === 'Purchase' && !('skipped' in sends),
  )!
  const seen = Object.entries(clicks).map(([name, { value, days }]) => {
    return [name, { value, at: exampleEventAt - days * dayMs }]
  })
  const input = { ...exampleInput({ event: order, secrets }), captured: Object.fromEntries(seen) }
  return JSON.stringify(buildRequests(id, each, input))
}

for (const [id, names] of Object.entries(networks) as [keyof typeof networks, readonly string[]][]) {
  test(`${id} credits a click of the last 30 days and no older one`, () => {
    for (const name of names) {
      assert.match(sentAfter(id, { [name]: { value: 'click777', days: 30 } }), /click777/)
      assert.match(sentAfter(id, { [name]: { value: 'click777', days: 30.01 } }), /identityMissing/)
    }
  })

  test(`${id} credits the last of several clicks`, () => {
    for (const first of names)
      for (const last of names.filter((name) => name !== first)) {
        const sent = sentAfter(id, { [first]: { value: 'first777', days: 2 }, [last]: { value: 'last777', days: 1 } })
        assert.match(sent, /last777/, `${last} after ${first}`)
        assert.doesNotMatch(sent, /first777/)
      }
  })

  test(`${id} credits no click of another network`, () => {
    const foreign = Object.entries(networks).flatMap(([other, theirs]) => (other === id ? [] : theirs))
    const clicks = foreign.map((name) => [name, { value: 'foreign777', days: 1 }])
    assert.match(sentAfter(id, Object.fromEntries(clicks)), /identityMissing/)
  })
}

test('an order id in the address of the page is no click', () => {
  for (const id of ['tune', 'rakuten', 'cj', 'partnerize'] as const)
    assert.match(sentAfter(id, { [networks[id][0]]: { value: 'A-1001', days: 0 } }), /identityMissing/)
})

test('Awin credits the last click, be it its own or one through Google Ads, and no half of a click', () => {
  const ads = (days: number, awaidDays = days) => ({
    gclid: { value: 'G1', days },
    awaid: { value: '77', days: awaidDays },
  })
  assert.match(sentAfter('awin', { awc: { value: 'own', days: 2 }, ...ads(1) }), /gclid_77_G1/)
  assert.match(sentAfter('awin', { awc: { value: 'own', days: 1 }, ...ads(2) }), /"awc\\":\\"own/)
  assert.match(sentAfter('awin', ads(1, 3)), /identityMissing/)
})

test('Everflow credits a partner whose offer and id came with one visit', () => {
  const pair = (oidDays: number) => ({ oid: { value: '3', days: oidDays }, affid: { value: '9', days: 1 } })
  assert.match(sentAfter('everflow', pair(1)), /oid=3&affid=9/)
  assert.match(sentAfter('everflow', pair(0)), /identityMissing/)
})
