import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { OrderDelivery, OrderPurchase } from '#store/orders.ts'
import { outcomeOf, toOutcomeText } from './outcome.ts'

const channels = new Map([
  ['scr_gross', { purchaseValueMode: 'gross' as const }],
  ['scr_net', { purchaseValueMode: 'net' as const }],
])
const order = { value: 119, tax: 19, shipping: 5, currency: 'EUR' }
const delivery = (scriptId: string, overrides: Partial<OrderDelivery> = {}): OrderDelivery => ({
  ...{ scriptId, status: 'delivered', attempts: 1 },
  ...overrides,
})
let position = 0
const purchase = (deliveries: OrderDelivery[], overrides: Partial<OrderPurchase> = {}): OrderPurchase => ({
  ...{
    position: ++position,
    index: 0,
    receivedAt: 0,
    isFromBrowser: true,
    value: 119,
    net: 95,
    currency: 'EUR',
    deliveries,
  },
  ...overrides,
})
const textOf = (purchases: OrderPurchase[], of: Partial<typeof order> = order, tolerance = 0.01) =>
  toOutcomeText(outcomeOf({ ...of, purchases }, { channels, tolerance }))
const both = (overrides: Partial<OrderDelivery> = {}) => [
  delivery('scr_gross', overrides),
  delivery('scr_net', overrides),
]

describe('the outcome of an order', () => {
  test('without a purchase has no channel', () => assert.equal(textOf([]), 'n|'))

  test('tells by which calls the purchases came', () => {
    const from = (...browsers: boolean[]) => textOf(browsers.map((isFromBrowser) => purchase([], { isFromBrowser })))[0]
    assert.deepEqual([from(true, true), from(false), from(false, true)], ['b', 's', 'x'])
  })

  test('of several purchases is that of the one that came furthest, in each channel by itself', () => {
    const consent = delivery('scr_gross', { status: 'skipped', reason: 'consent', attempts: 0 })
    const refused = delivery('scr_gross', { status: 'refused', reason: 'payloadRefused' })
    const pending = delivery('scr_gross', { status: 'pending', attempts: 1 })
    const accepted = delivery('scr_gross')
    const cellOf = (...deliveries: OrderDelivery[]) => textOf(deliveries.map((each) => purchase([each]))).at(-1)
    assert.equal(cellOf(consent, refused), 'p')
    assert.equal(cellOf(refused, consent, pending), 'w')
    assert.equal(cellOf(consent, accepted, pending), 'a')
    const net = delivery('scr_net', { status: 'skipped', reason: 'region' })
    assert.equal(textOf([purchase([consent, net]), purchase([accepted])]), 'b|scr_gross=a,scr_net=r')
  })

  test('marks an order that was accepted after a retry alone, and one that was accepted twice', () => {
    assert.equal(textOf([purchase(both({ attempts: 3 }))]), 'b|scr_gross=at,scr_net=at')
    assert.equal(textOf([purchase(both({ attempts: 3 })), purchase(both())]), 'b|scr_gross=a2,scr_net=a2')
  })

  test('compares gross with gross and net with net, within the tolerance', () => {
    assert.equal(textOf([purchase(both(), { value: 119.01, net: 95.01 })]), 'b|scr_gross=a,scr_net=a')
    assert.equal(textOf([purchase(both(), { value: 119.02, net: 95 })]), 'b|scr_gross=aV,scr_net=a')
    assert.equal(textOf([purchase(both(), { value: 119, net: 100 })]), 'b|scr_gross=a,scr_net=aV')
    assert.equal(textOf([purchase(both(), { value: 120, net: 96 })], order, 1), 'b|scr_gross=a,scr_net=a')
  })

  test('in another currency compares no values, and without a value nothing', () => {
    assert.equal(textOf([purchase(both(), { currency: 'SEK', value: 1 })]), 'b|scr_gross=aC,scr_net=aC')
    assert.equal(textOf([purchase(both())], {}), 'b|scr_gross=a,scr_net=a')
  })
})
