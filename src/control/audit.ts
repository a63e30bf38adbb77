import type { AuditEntry } from '#contract/audit.ts'
import type { operations } from '#contract/operations.ts'
import type { Answer } from '#http/bind.ts'
import { pageOf } from './page.ts'
import type { ControlWorld } from './world.ts'

export const listAudit: Answer<(typeof operations)['listAudit'], ControlWorld> = async ({ query, access }, on) => {
  const { rows, next } = await on.store.audit(access.teamId, pageOf(query))
  const entries = rows.map(({ teamId: _, ...entry }) => entry as AuditEntry)
  return { entries, ...(next !== undefined && { next }) }
}
