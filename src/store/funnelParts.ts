import type { DeliveryReason, DeliveryStatus } from '#contract/deliveryStatus.ts'
import type { Funnel } from '#contract/stats.ts'

type Part = Funnel['parts'][number]
/** The number of deliveries of a script with a status and a reason. */
export type FunnelCount = { scriptId: string; status: DeliveryStatus; reason: DeliveryReason | null; count: number }

/** Sums by a key, status and reason. */
function sumParts(counts: readonly FunnelCount[], keyOf: (count: FunnelCount) => string): Map<string, Part[]> {
  const byKey = new Map<string, Map<string, Part>>()
  for (const each of counts) {
    const { status, reason, count } = each
    if (count === 0) continue
    const parts = byKey.get(keyOf(each)) ?? new Map<string, Part>()
    byKey.set(keyOf(each), parts)
    const part = parts.get(`${status} ${reason}`) ?? { status, ...(reason && { reason }), count: 0 }
    parts.set(`${status} ${reason}`, { ...part, count: part.count + count })
  }
  return new Map(byKey.entries().map(([key, parts]) => [key, [...parts.values()]]))
}

const totalOf = (parts: readonly Part[]) => parts.reduce((sum, { count }) => sum + count, 0)

/** The current states of the deliveries of a number of events. */
export function toFunnel(events: number, counts: readonly FunnelCount[]): Omit<Funnel, 'from' | 'to'> {
  const parts = sumParts(counts, () => '').get('') ?? []
  const byScript = [...sumParts(counts, ({ scriptId }) => scriptId)].map(([scriptId, of]) => {
    return { scriptId, planned: totalOf(of), parts: of }
  })
  return { events, planned: totalOf(parts), parts, byScript }
}
