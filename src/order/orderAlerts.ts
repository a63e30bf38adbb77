/** Expected orders of an hour, and those of which the tag got no event in any channel. */
type OrderHour = { expected: number; noEvent: number }
type OrderAlert = { kind: 'order.missing'; count: number; expected: number } | { kind: 'order.stopped' }

const missingShare = 0.05
const leastExpected = 10
const leastUsual = 20

function median(values: readonly number[]): number {
  const sorted = [...values].sort((one, other) => one - other)
  const middle = Math.floor(sorted.length / 2)
  if (sorted.length === 0) return 0
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2
}

const shareOf = ({ expected, noEvent }: OrderHour) => (expected === 0 ? 0 : noEvent / expected)

/**
 * Whether the orders of the last full hour give reason for an alert. `weeks`: the same hour of the last four weeks.
 * Missing: above 5 % of at least ten expected orders have no event, and above twice the median share of the weeks. Stopped:
 * no order at all, where the weeks had 20 in all.
 */
export function orderAlertOf(hour: OrderHour, weeks: readonly OrderHour[]): OrderAlert | undefined {
  const usual = weeks.reduce((sum, { expected }) => sum + expected, 0)
  if (hour.expected === 0) return usual >= leastUsual ? { kind: 'order.stopped' } : undefined
  const share = shareOf(hour)
  const isMissing = hour.expected >= leastExpected && share > missingShare && share > 2 * median(weeks.map(shareOf))
  return isMissing ? { kind: 'order.missing', count: hour.noEvent, expected: hour.expected } : undefined
}
