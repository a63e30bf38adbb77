import type { AlertKind } from '#contract/alert.ts'
import type { DeliveryReason } from '#contract/deliveryStatus.ts'
import type { PageRequest, ResultPage } from './cursor.ts'

/** An alert about a channel, which occurred `count` times since `since`. Times are epoch ms. */
export type AlertRecord = {
  alertId: string
  teamId: string
  kind: AlertKind
  tagId: string
  scriptId: string
  reason: DeliveryReason
  count: number
  since: number
  at: number
}
/** The notification of a hook about an alert. `nextAt` is present while it is pending. */
export type AlertNotification = {
  hookId: string
  status: 'pending' | 'sent' | 'failed'
  tries: number
  nextAt?: number
  message?: string
}

/** The alerts of teams about their channels. */
export type AlertStore = {
  /** Newest first, each with its notifications. */
  list(teamId: string, page: PageRequest): Promise<ResultPage<AlertRecord & { sendings: AlertNotification[] }>>
  /** The time of the last alert of this kind about a channel. */
  lastAt(scriptId: string, kind: AlertKind): Promise<number | undefined>
  /** Notifications that are due, at most `perTeam` of a team: the oldest of each team first. */
  due(nowMs: number, limit: number, perTeam?: number): Promise<(AlertRecord & { sending: AlertNotification })[]>
  settle(alertId: string, sending: AlertNotification): Promise<void>
}
