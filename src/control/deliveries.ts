import type { DeliveryRow } from '#contract/delivery.ts'
import { periodicYield } from '#kit/yieldToEventLoop.ts'
import { parseIssues } from '#provider/form/eventIssues.ts'
import type { DeliveryRecord } from '#store/deliveryQueries.ts'
import type { TagRecord } from '#store/store.ts'
import type { AnswerFor, ControlDeps } from './controlDeps.ts'
import { toRowFilter } from './deliveryFilter.ts'
import { readEventIdsAt } from './eventIds.ts'
import { toPageRequest } from './pagination.ts'
import { reserveSearch, runFairly } from './searchSlots.ts'
import { requireTag } from './tags.ts'

const validationIssues = ({ providerId, status, message }: DeliveryRecord) =>
  providerId === 'validation' && status === 'delivered' && message !== undefined ? { issues: parseIssues(message) } : {}

const toDeliveryRow = (record: DeliveryRecord, eventId: string | undefined): DeliveryRow => {
  const { tagId: _, position: __, index: ___, ...row } = record
  return {
    ...row,
    ...(eventId !== undefined && { eventId }),
    ...validationIssues(record),
  }
}

/** The rows as the API returns them. Each batch is decrypted once for its event ids. */
export const toDeliveryRows = (
  deps: ControlDeps,
  tag: TagRecord,
  records: readonly DeliveryRecord[],
): Promise<DeliveryRow[]> =>
  records.length === 0 ? Promise.resolve([]) : runFairly(deps, tag.teamId, () => readDeliveryRows(deps, tag, records))

async function readDeliveryRows(
  deps: ControlDeps,
  tag: TagRecord,
  records: readonly DeliveryRecord[],
): Promise<DeliveryRow[]> {
  const rows: DeliveryRow[] = []
  const yieldPeriodically = periodicYield(deps.clock)
  for (const record of records) {
    const ids = await readEventIdsAt(deps, tag, record.position)
    rows.push(toDeliveryRow(record, ids[record.index]))
    await yieldPeriodically()
  }
  return rows
}

export const listDeliveries: AnswerFor<'listDeliveries'> = async ({ params, query, access }, deps) => {
  const tag = await requireTag(deps, access, params.tagId)
  using _search = reserveSearch(deps, tag.teamId)
  const filter = await toRowFilter(deps, { tag, access }, query)
  const { rows, next } = await deps.store.queries(tag.teamId).deliveries(tag.tagId, filter, toPageRequest(query))
  return { deliveries: await toDeliveryRows(deps, tag, rows), ...(next !== undefined && { next }) }
}
