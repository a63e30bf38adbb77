import type { OrderReport, OrderRow, OrderWrite } from '../order.ts'
import { at, exampleValues, type OperationExamples } from './example.ts'

const { scriptId, eventId, deliveryId, replayId } = exampleValues
const day = 86_400_000
const order = {
  orderId: '#1001',
  placedAt: at - day,
  updatedAt: at - day,
  status: 'paid',
  salesChannel: 'web',
  value: 84.9,
  currency: 'EUR',
  tax: 13.56,
  shipping: 4.9,
  source: 'upload',
} satisfies OrderWrite
const aliases = ['gid://shopify/Order/5566']
const scope = {
  statuses: ['placed', 'paid', 'refunded'],
  graceMs: 3_600_000,
  timezone: 'Europe/Berlin',
  tolerance: 0.01,
  orderIdFrom: 'data.orderId',
} satisfies OrderReport['scope']
const row: OrderRow = {
  ...order,
  aliases,
  isExpected: true,
  received: 'both',
  states: [{ scriptId, cell: 'accepted', eventId, deliveryId }],
}
const none = { consent: 0, region: 0, notSelected: 0, filtered: 0, identityMissing: 0, simulated: 0, erased: 0 }
const report: OrderReport = {
  ...{ from: at - 30 * day, to: at, interval: 'day', scope },
  orders: { all: 1_040, expected: 1_000, open: 4, outOfScope: 40 },
  received: { browserOnly: 120, serverOnly: 180, both: 660, none: 36, unknownOrders: 7 },
  channels: [
    {
      ...{ scriptId, name: 'Meta', providerId: 'facebook', accepted: 860, acceptedAfterRetry: 12, waiting: 2 },
      explained: { ...none, consent: 74, notSelected: 3, filtered: 11, identityMissing: 9 },
      failed: { payloadRefused: 1, keyRejected: 0, vendorDown: 0, expired: 0, poison: 0 },
      ...{ noEvent: 36, open: 4, valueDiffers: 5, currencyDiffers: 0, repeated: 0 },
      ...{ acceptance: 0.863, accounted: 0.961, gap: [{ currency: 'EUR', value: 11_424.5 }] },
    },
  ],
  intervals: [
    {
      ...{ from: at - day, orders: 40, open: 0 },
      channels: { [scriptId]: { accepted: 34, explained: 4, failed: 0, noEvent: 2, waiting: 0 } },
    },
  ],
}

export const orderExamples = {
  putOrders: { body: [{ ...order, aliases }], response: { rows: [{ orderId: '#1001', result: 'created' }] } },
  listOrders: { response: { orders: [row], next: 'Mw' } },
  readOrder: {
    response: {
      ...row,
      events: [
        {
          ...{ eventId, receivedAt: at - day, from: 'server', value: 84.9, currency: 'EUR' },
          deliveries: [{ deliveryId, scriptId, status: 'delivered', attempts: 1, cell: 'accepted' }],
        },
      ],
    },
  },
  readReconciliation: { response: report },
  setReconciliation: { body: { timezone: 'Europe/Berlin' }, response: scope },
  repairOrders: {
    body: { from: at - day, to: at, cells: ['noEvent', 'failed'], dryRun: false },
    response: {
      dryRun: false,
      orders: [
        { orderId: '#1002', cell: 'failed', result: 'replayed', channels: [{ scriptId, status: 'pending' }] },
        { orderId: '#1003', cell: 'noEvent', result: 'sent', channels: [] },
      ],
      replayId,
    },
  },
} satisfies OperationExamples
