import type { operations } from '#contract/operations.ts'
import type { Answer } from '#http/bind.ts'
import { pageOf } from './page.ts'
import type { ControlWorld } from './world.ts'

export const listAlerts: Answer<(typeof operations)['listAlerts'], ControlWorld> = async ({ query, access }, on) => {
  const { rows, next } = await on.store.alerts.list(access.teamId, pageOf(query))
  const alerts = rows.map(({ teamId: _, sendings, ...alert }) => ({
    ...alert,
    sendings: sendings.map(({ nextAt: __, ...sending }) => sending),
  }))
  return { alerts, ...(next !== undefined && { next }) }
}
