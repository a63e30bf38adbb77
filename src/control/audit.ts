import type { AuditEntry } from '#contract/audit.ts'
import type { operations } from '#contract/operations.ts'
import type { OperationCall } from '#http/bindOperation.ts'
import { defined } from '#kit/defined.ts'
import type { AnswerFor } from './controlDeps.ts'
import { toPageRequest } from './pagination.ts'

type AuditQuery = OperationCall<(typeof operations)['exportAudit']>['query']

/** The filter of a query, as the store takes it. */
export const toAuditFilter = ({ by, what, object, from: since, to: before }: Omit<AuditQuery, 'format'>) =>
  defined({ by, what, object, since, before })

export const listAudit: AnswerFor<'listAudit'> = async ({ query, access }, deps) => {
  const { rows, next } = await deps.store.audit(access.teamId, toPageRequest(query), toAuditFilter(query))
  const entries = rows.map(({ teamId: _, ...entry }) => entry as AuditEntry)
  return { entries, ...(next !== undefined && { next }) }
}
