import { withoutFloatError } from '#contract/eventValue.ts'
import type { OrderReport } from '#contract/order.ts'
import { explainedCells, failedCells, isExplained, isFailed, type OrderCell } from '#contract/orderCells.ts'
import type { OrderGroup } from '#store/orders.ts'
import { channelOutcome, type Outcome, readOutcomeText } from './outcome.ts'
import { type FilledScope, isExpected } from './scope.ts'

type ReportChannel = Pick<OrderReport['channels'][number], 'scriptId' | 'name' | 'providerId'>
type Channel = OrderReport['channels'][number]
type Interval = OrderReport['intervals'][number]
type IntervalCounts = Interval['channels'][string]

export type IntervalGroup = OrderGroup & { from: number }

/** `groups`: all orders of the range, grouped by interval and outcome. */
type ReportInput = {
  groups: Iterable<IntervalGroup>
  channels: readonly ReportChannel[]
  scope: FilledScope
}
type Counts = Pick<OrderReport, 'orders' | 'channels' | 'intervals'> & {
  received: Omit<OrderReport['received'], 'unknownOrders'>
}

const zeros = <Cell extends string>(cells: readonly Cell[]) =>
  Object.fromEntries(cells.map((cell) => [cell, 0])) as Record<Cell, number>

const emptyChannel = ({ scriptId, name, providerId }: ReportChannel): Channel => ({
  ...{ scriptId, name, providerId, accepted: 0, acceptedAfterRetry: 0, waiting: 0 },
  ...{ explained: zeros(explainedCells), failed: zeros(failedCells), noEvent: 0, open: 0 },
  ...{ valueDiffers: 0, currencyDiffers: 0, repeated: 0, gap: [] },
})

function addCell(channel: Channel, cell: OrderCell, count: number): void {
  if (isExplained(cell)) channel.explained[cell] += count
  else if (isFailed(cell)) channel.failed[cell] += count
  else channel[cell] += count
}

function addToInterval(counts: IntervalCounts, cell: OrderCell, count: number): void {
  if (cell === 'open') return
  if (isExplained(cell)) counts.explained += count
  else if (isFailed(cell)) counts.failed += count
  else counts[cell] += count
}

function addGap(channel: Channel, currency: string | undefined, value: number): void {
  if (currency === undefined) return
  const own = channel.gap.find((each) => each.currency === currency)
  if (own) own.value = withoutFloatError(own.value + value)
  else channel.gap.push({ currency, value: withoutFloatError(value) })
}

function addGroup(channel: Channel, counts: IntervalCounts, { outcome, ...group }: OrderGroup, parsed: Outcome): void {
  const { cell, ...own } = channelOutcome(parsed, channel.scriptId, group.isOpen)
  const { count } = group
  addCell(channel, cell, count)
  addToInterval(counts, cell, count)
  if (own.isRetried) channel.acceptedAfterRetry += count
  if (own.isRepeated) channel.repeated += count
  if (own.valueDiffers) channel.valueDiffers += count
  if (own.currencyDiffers) channel.currencyDiffers += count
  if (cell !== 'accepted' && cell !== 'open') addGap(channel, group.currency, group.value)
}

const sum = (counts: Readonly<Record<string, number>>) => Object.values(counts).reduce((all, each) => all + each, 0)

function withShares(channel: Channel, decided: number): Channel {
  if (decided === 0) return channel
  const { accepted, explained } = channel
  return { ...channel, acceptance: accepted / decided, accounted: (accepted + sum(explained)) / decided }
}

/** Counts orders by cell. Each expected order is counted in one cell per channel and in one cell of reception. */
export function countOrders({ groups, channels: named, scope }: ReportInput): Counts {
  const outcomes = new Map<string, Outcome>()
  const channels = named.map(emptyChannel)
  const orders = { all: 0, expected: 0, open: 0, outOfScope: 0 }
  const received = { browserOnly: 0, serverOnly: 0, both: 0, none: 0 }
  const intervals = new Map<number, Interval>()
  const intervalAt = (from: number): Interval => {
    let own = intervals.get(from)
    if (!own) {
      const cells = () => ({ accepted: 0, explained: 0, failed: 0, noEvent: 0, waiting: 0 })
      own = { from, orders: 0, open: 0, channels: Object.fromEntries(named.map((each) => [each.scriptId, cells()])) }
      intervals.set(from, own)
    }
    return own
  }
  for (const group of groups) {
    const { count, isOpen, outcome: text } = group
    orders.all += count
    if (!isExpected(group, scope)) {
      orders.outOfScope += count
      continue
    }
    const outcome = outcomes.get(text) ?? readOutcomeText(text)
    outcomes.set(text, outcome)
    const own = intervalAt(group.from)
    orders.expected += count
    own.orders += count
    if (isOpen) {
      orders.open += count
      own.open += count
    } else received[outcome.received] += count
    for (const channel of channels) addGroup(channel, own.channels[channel.scriptId]!, group, outcome)
  }
  const decided = orders.expected - orders.open
  return {
    orders,
    received,
    channels: channels.map((channel) => withShares(channel, decided)),
    intervals: [...intervals.values()].sort((one, other) => one.from - other.from),
  }
}
