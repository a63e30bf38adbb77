import { type DueDelivery, priorities } from '#store/store.ts'
import { withoutNulls } from './rowMappings.ts'

const stepsIn = (json: string) => (JSON.parse(json) as (string | null)[]).map((result) => result ?? undefined)

/** The row of a due delivery. The ids of tag and script are given, because a database may store numbers for them. */
export const readDue = (
  row: Readonly<Record<string, unknown>>,
  { tagId, scriptId }: { tagId: unknown; scriptId: unknown },
): DueDelivery => ({
  ...withoutNulls<Omit<DueDelivery, 'priority' | 'crashCount' | 'stepResults' | 'planned' | 'eventName' | 'slot'>>({
    deliveryId: row.id,
    tagId,
    position: row.position,
    index: row.idx,
    scriptId,
    providerId: row.provider,
    attempts: row.attempts,
    uncountedAttempts: row.uncounted,
    nextAt: row.next_at,
    receivedAt: row.received_at,
    orderKey: row.queue,
  }),
  priority: priorities[Number(row.priority)] ?? 'new',
  ...(row.steps !== null && { stepResults: stepsIn(String(row.steps)) }),
  ...(Number(row.crash_count) > 0 && { crashCount: Number(row.crash_count) }),
})
