import type { ReplayCandidate, ReplayFilter } from '#store/replays.ts'
import { withoutNulls } from './rowMappings.ts'

type CandidateRow = Readonly<Record<string, unknown>>

/** Events are in order of arrival. Their times may be out of order by this much after the clock was set. */
export const replaySlackMs = 86_400_000

const maxNumber = Number.MAX_SAFE_INTEGER

export const readCandidate = (row: CandidateRow) =>
  withoutNulls<ReplayCandidate>({
    deliveryId: row.id,
    position: row.position,
    index: row.idx,
    scriptId: row.script,
    providerId: row.provider,
    status: row.status,
  })

/** Whether the delivery of a row, joined with its event, matches the filter. */
export const matchesFilter = (
  row: CandidateRow,
  { statuses, from = 0, to = maxNumber, eventNames, scriptIds }: ReplayFilter,
) =>
  statuses.some((status) => status === row.status) &&
  Number(row.received_at) >= from &&
  Number(row.received_at) <= to &&
  (eventNames?.includes(String(row.name)) ?? true) &&
  (scriptIds?.includes(String(row.script)) ?? true)
