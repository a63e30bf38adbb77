import type { DeliveryRow } from '#contract/delivery.ts'
import type { operations } from '#contract/operations.ts'
import type { Answer } from '#http/bind.ts'
import { breathing } from '#kit/breath.ts'
import { parseIssues } from '#provider/form/eventIssues.ts'
import type { DeliveryFilter, FoundDelivery } from '#store/found.ts'
import type { TagRecord } from '#store/store.ts'
import { eventIdsAt } from './eventIds.ts'
import { pageOf } from './page.ts'
import { openInTurn, takeSearch } from './search.ts'
import { knownTag } from './tags.ts'
import type { ControlWorld } from './world.ts'

type Operations = typeof operations
type Asked = {
  status?: FoundDelivery['status']
  reason?: FoundDelivery['reason']
  scriptId?: string
  eventName?: string
}

export const filterOf = ({ status, reason, scriptId, eventName }: Asked): DeliveryFilter => ({
  ...(status && { statuses: [status] }),
  ...(reason && { reasons: [reason] }),
  ...(scriptId !== undefined && { scriptId }),
  ...(eventName !== undefined && { eventName }),
})

const issuesOf = ({ providerId, status, message }: FoundDelivery) =>
  providerId === 'validation' && status === 'delivered' && message !== undefined ? { issues: parseIssues(message) } : {}

const rowOf = (found: FoundDelivery, eventId: string | undefined): DeliveryRow => {
  const { tagId: _, position: __, index: ___, ...row } = found
  return { ...row, ...(eventId !== undefined && { eventId }), ...issuesOf(found) }
}

/** As callers see them: the id of an event is in its body, and each body is opened once. */
export const shownRows = (on: ControlWorld, tag: TagRecord, found: readonly FoundDelivery[]): Promise<DeliveryRow[]> =>
  found.length === 0 ? Promise.resolve([]) : openInTurn(on, tag.teamId, () => rowsOf(on, tag, found))

async function rowsOf(on: ControlWorld, tag: TagRecord, found: readonly FoundDelivery[]): Promise<DeliveryRow[]> {
  const rows: DeliveryRow[] = []
  const breathe = breathing(on.clock)
  for (const each of found) {
    const ids = await eventIdsAt(on, tag, each.position)
    rows.push(rowOf(each, ids[each.index]))
    await breathe()
  }
  return rows
}

export const listDeliveries: Answer<Operations['listDeliveries'], ControlWorld> = async (
  { params, query, access },
  on,
) => {
  const tag = await knownTag(on, access, params.tagId)
  const { from, to } = query
  const filter = {
    ...filterOf(query),
    ...(from !== undefined && { fromMs: from }),
    ...(to !== undefined && { toMs: to }),
  }
  using _search = takeSearch(on, tag.teamId)
  const { rows, next } = await on.store.queries(tag.teamId).deliveries(tag.tagId, filter, pageOf(query))
  return { deliveries: await shownRows(on, tag, rows), ...(next !== undefined && { next }) }
}
