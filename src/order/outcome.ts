import type { DeliveryReason } from '#contract/deliveryStatus.ts'
import { cellOf, type OrderCell, orderCells } from '#contract/orderCells.ts'
import type { OrderDelivery, OrderPurchase, OrderWithPurchases } from '#store/orders.ts'
import type { SnapshotScript } from '#store/snapshot.ts'

/** Which calls sent the Purchase of an order. */
export type Received = 'browserOnly' | 'serverOnly' | 'both' | 'none'

/** The outcome of an order in a channel. Only accepted orders have marks. */
export type ChannelOutcome = {
  cell: OrderCell
  isRetried?: true
  isRepeated?: true
  valueDiffers?: true
  currencyDiffers?: true
}
/** The outcome of an order. A channel that is missing here got no delivery of the order. */
export type Outcome = { received: Received; channels: ReadonlyMap<string, ChannelOutcome> }

export type ComparedChannels = ReadonlyMap<string, Pick<SnapshotScript, 'purchaseValueMode'>>
type Comparison = { channels: ComparedChannels; tolerance: number }

const codes: Readonly<Record<Exclude<OrderCell, 'noEvent' | 'open'>, string>> = {
  accepted: 'a',
  waiting: 'w',
  payloadRefused: 'p',
  keyRejected: 'k',
  vendorDown: 'v',
  expired: 'x',
  poison: 'o',
  consent: 'c',
  region: 'r',
  notSelected: 's',
  filtered: 'f',
  identityMissing: 'i',
  simulated: 'm',
  erased: 'e',
}
const receivedCodes: Readonly<Record<Received, string>> = { browserOnly: 'b', serverOnly: 's', both: 'x', none: 'n' }
const marks = { isRetried: 't', isRepeated: '2', valueDiffers: 'V', currencyDiffers: 'C' } as const

const invert = <Key extends string>(record: Readonly<Record<Key, string>>): ReadonlyMap<string, Key> =>
  new Map((Object.entries(record) as [Key, string][]).map(([key, code]) => [code, key]))
const cellsByCode = invert(codes)
const receivedByCode = invert(receivedCodes)
const markNames = Object.keys(marks) as (keyof typeof marks)[]

/** An outcome as text: `b|scr_1=a2,scr_2=c`. Orders with equal outcomes have equal texts. */
export const toOutcomeText = ({ received, channels }: Outcome): string =>
  `${receivedCodes[received]}|${[...channels]
    .map(
      ([scriptId, { cell, ...own }]) =>
        `${scriptId}=${codes[cell as keyof typeof codes]}${markNames.map((name) => (own[name] ? marks[name] : '')).join('')}`,
    )
    .sort()
    .join(',')}`

export function readOutcomeText(text: string): Outcome {
  const channels = text
    .slice(2)
    .split(',')
    .filter(Boolean)
    .map((each): [string, ChannelOutcome] => {
      const [scriptId = '', code = ''] = each.split('=')
      const own = markNames.filter((name) => code.includes(marks[name], 1)).map((name) => [name, true as const])
      return [scriptId, { cell: cellsByCode.get(code[0]!)!, ...Object.fromEntries(own) }]
    })
  return { received: receivedByCode.get(text[0]!)!, channels: new Map(channels) }
}

/**
 * LIKE patterns for the outcomes of settled orders in one of these cells, in this channel or in any. They may match
 * other orders too. Undefined if an outcome does not show whether the order is in one of these cells.
 */
export function outcomePatterns(cells: readonly OrderCell[], scriptId?: string): string[] | undefined {
  // an order without a delivery of the channel is not selected; the outcome does not show whether an order is open
  if (cells.some((cell) => cell === 'open' || cell === 'notSelected')) return undefined
  return cells.map((cell) =>
    cell === 'noEvent' ? 'n|%' : `%${scriptId === undefined ? '' : scriptId}=${codes[cell as keyof typeof codes]}%`,
  )
}

const rank = (cell: OrderCell) => orderCells.indexOf(cell)
const isFromBrowser = ({ isFromBrowser: from }: OrderPurchase) => from

function receivedOf(purchases: readonly OrderPurchase[]): Received {
  if (purchases.length === 0) return 'none'
  if (purchases.every(isFromBrowser)) return 'browserOnly'
  return purchases.some(isFromBrowser) ? 'both' : 'serverOnly'
}

type Reached = { purchase: OrderPurchase; delivery: OrderDelivery; cell: OrderCell }

/** The deliveries of an order by channel, most advanced first. */
export function furthestDeliveries(purchases: readonly OrderPurchase[]): ReadonlyMap<string, readonly Reached[]> {
  const all = purchases.flatMap((purchase) =>
    purchase.deliveries.map(
      (delivery): Reached => ({
        purchase,
        delivery,
        cell: cellOf(delivery.status, delivery.reason),
      }),
    ),
  )
  const sorted = all.sort((one, other) => rank(one.cell) - rank(other.cell))
  return Map.groupBy(sorted, ({ delivery }) => delivery.scriptId)
}

type Compared = Pick<OrderWithPurchases, 'value' | 'tax' | 'shipping' | 'currency'>

function compare(order: Compared, { purchase, delivery }: Reached, { channels, tolerance }: Comparison) {
  if (order.currency !== undefined && purchase.currency !== undefined && order.currency !== purchase.currency)
    return { currencyDiffers: true as const }
  const isNet = channels.get(delivery.scriptId)?.purchaseValueMode === 'net'
  const sent = isNet ? purchase.net : purchase.value
  if (order.value === undefined || sent === undefined) return {}
  const expected = isNet ? Math.max(0, order.value - (order.tax ?? 0) - (order.shipping ?? 0)) : order.value
  // allows a millionth for floating-point error
  return Math.abs(expected - sent) > tolerance + 1e-6 ? { valueDiffers: true as const } : {}
}

export function outcomeOf(order: Compared & { purchases: readonly OrderPurchase[] }, comparison: Comparison): Outcome {
  const channels = [...furthestDeliveries(order.purchases)].map(([scriptId, reached]): [string, ChannelOutcome] => {
    const first = reached[0]!
    if (first.cell !== 'accepted') return [scriptId, { cell: first.cell }]
    const accepted = reached.filter(({ cell }) => cell === 'accepted')
    return [
      scriptId,
      {
        cell: 'accepted',
        ...(accepted.every(({ delivery }) => delivery.attempts > 1) && { isRetried: true as const }),
        ...(accepted.length > 1 && { isRepeated: true as const }),
        ...compare(order, first, comparison),
      },
    ]
  })
  return { received: receivedOf(order.purchases), channels: new Map(channels) }
}

const moreReceived = (one: Received, other: Received): Received =>
  one === other || other === 'none' ? one : one === 'none' ? other : 'both'

/** The outcome of an order whose earlier events may be deleted: the more advanced one in each channel. */
export function mergeOutcomes(earlier: Outcome, now: Outcome): Outcome {
  const channels = new Map(earlier.channels)
  for (const [scriptId, outcome] of now.channels) {
    const before = channels.get(scriptId)
    if (!before || rank(outcome.cell) < rank(before.cell)) channels.set(scriptId, outcome)
  }
  return { received: moreReceived(earlier.received, now.received), channels }
}

/** True if a delivery that waits may still change the outcome of the order. */
export const isWaiting = ({ purchases }: Pick<OrderWithPurchases, 'purchases'>): boolean =>
  purchases.some(({ deliveries }) => deliveries.some(({ status }) => status === 'held' || status === 'pending'))

export function channelOutcome(outcome: Outcome, scriptId: string, isOpen: boolean): ChannelOutcome {
  if (isOpen) return { cell: 'open' }
  if (outcome.received === 'none') return { cell: 'noEvent' }
  return outcome.channels.get(scriptId) ?? { cell: 'notSelected' } // the channel was not live when the event came
}

export const reasonOf = (reached: readonly Reached[] | undefined): DeliveryReason | undefined =>
  reached?.[0]?.delivery.reason
