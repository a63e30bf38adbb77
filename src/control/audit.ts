import type { AuditEntry } from '#contract/audit.ts'
import type { operations } from '#contract/operations.ts'
import type { OperationAnswer } from '#http/bindOperation.ts'
import type { ControlDeps } from './controlDeps.ts'
import { toPageRequest } from './pagination.ts'

export const listAudit: OperationAnswer<(typeof operations)['listAudit'], ControlDeps> = async (
  { query, access },
  deps,
) => {
  const { by, what, object, from, to } = query
  const filter = {
    ...(by !== undefined && { by }),
    ...(what !== undefined && { what }),
    ...(object !== undefined && { object }),
    ...(from !== undefined && { since: from }),
    ...(to !== undefined && { before: to }),
  }
  const { rows, next } = await deps.store.audit(access.teamId, toPageRequest(query), filter)
  const entries = rows.map(({ teamId: _, ...entry }) => entry as AuditEntry)
  return { entries, ...(next !== undefined && { next }) }
}
