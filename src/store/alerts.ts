import type { AlertKind } from '#contract/alert.ts'
import type { Reason } from '#contract/outcome.ts'
import type { Page, PageOf } from './page.ts'

/** What befell a channel, `count` times since `since`. Times are epoch ms. */
export type AlertRecord = {
  alertId: string
  teamId: string
  kind: AlertKind
  tagId: string
  scriptId: string
  reason: Reason
  count: number
  since: number
  at: number
}
/** How a hook is told of an alert; `nextAt` while it is pending. */
export type AlertSending = {
  hookId: string
  status: 'pending' | 'sent' | 'failed'
  tries: number
  nextAt?: number
  message?: string
}

/** What teams are told of their channels. */
export type Alerts = {
  /** Newest first, each with how it reached the hooks. */
  list(teamId: string, page: PageOf): Promise<Page<AlertRecord & { sendings: AlertSending[] }>>
  /** When a channel's owner was last told of this. */
  lastAt(scriptId: string, kind: AlertKind): Promise<number | undefined>
  /** Sendings whose time has come, oldest first. */
  due(nowMs: number, limit: number): Promise<(AlertRecord & { sending: AlertSending })[]>
  settle(alertId: string, sending: AlertSending): Promise<void>
}
