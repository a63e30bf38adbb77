import type { Alert } from '#contract/alert.ts'
import type { AnswerFor, ControlDeps } from './controlDeps.ts'
import { toPageRequest } from './pagination.ts'

type StoredAlert = Awaited<ReturnType<ControlDeps['store']['alerts']['list']>>['rows'][number]

/** An alert as the API returns it. */
export const alertRow = ({ teamId: _, sendings, ...alert }: StoredAlert): Alert => ({
  ...alert,
  sendings: sendings.map(({ nextAt: __, ...sending }) => sending),
})

export const listAlerts: AnswerFor<'listAlerts'> = async ({ query, access }, deps) => {
  const { rows, next } = await deps.store.alerts.list(access.teamId, toPageRequest(query))
  return { alerts: rows.map(alertRow), ...(next !== undefined && { next }) }
}
