import type { operations } from '#contract/operations.ts'
import type { OperationAnswer } from '#http/bindOperation.ts'
import type { ControlDeps } from './controlDeps.ts'
import { toPageRequest } from './pagination.ts'

export const listAlerts: OperationAnswer<(typeof operations)['listAlerts'], ControlDeps> = async (
  { query, access },
  deps,
) => {
  const { rows, next } = await deps.store.alerts.list(access.teamId, toPageRequest(query))
  const alerts = rows.map(({ teamId: _, sendings, ...alert }) => ({
    ...alert,
    sendings: sendings.map(({ nextAt: __, ...sending }) => sending),
  }))
  return { alerts, ...(next !== undefined && { next }) }
}
