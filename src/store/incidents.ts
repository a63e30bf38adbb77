import type { AlertRuleKind, ContactKind } from '#contract/alertKinds.ts'
import type { AlertRule } from '#contract/alertRule.ts'
import type { PageRequest, ResultPage } from './cursor.ts'

/** A destination for alerts of a team. `sealed`: the address and its secrets, sealed with the team's key. */
export type ContactPointRecord = {
  contactPointId: string
  teamId: string
  name: string
  kind: ContactKind
  sealed: Uint8Array
  createdAt: number
}

export type AlertRuleRecord = {
  ruleId: string
  teamId: string
  name: string
  settings: Omit<AlertRule, 'name'>
  createdAt: number
}

/**
 * A message to one contact point about the start or the end of an incident, or the last reminder while it lasts, with
 * its `number`. `nextAt` is present while the message is pending, `settledAt` once it is sent or given up. `group`: the
 * first of the incidents in one combined message.
 */
export type IncidentMessageRecord = {
  contactPointId: string
  to: string
  about: 'start' | 'repeat' | 'end'
  status: 'pending' | 'sent' | 'failed'
  tries: number
  nextAt?: number
  message?: string
  group?: string
  number?: number
  settledAt?: number
}

/** A sentence independent of language: the name of a template and its values (alert/alertPhrases.ts). */
export type AlertPhrase = { name: string; values: readonly (string | number)[] }

/**
 * A finding of a rule on a tag. `subjects`: the channels, or one empty text for the tag. `calmSince`: the condition has
 * not been met since then, and the incident ends soon. Times are epoch ms.
 */
export type IncidentRecord = {
  incidentId: string
  teamId: string
  ruleId: string
  tagId: string
  rule: string
  kind: AlertRuleKind
  subjects: string[]
  title: AlertPhrase
  detail: AlertPhrase
  timeZone: string
  firstAt: number
  lastAt: number
  startedAt: number
  calmSince?: number
  endedAt?: number
  messages: IncidentMessageRecord[]
}

/** Whether an incident lasts or has messages to send. */
export const isActive = ({ endedAt, messages }: IncidentRecord): boolean =>
  endedAt === undefined || messages.some(({ status }) => status === 'pending')

/** The alert rules of teams, and their incidents. */
export type IncidentStore = {
  contactPoints(teamId: string, page: PageRequest): Promise<ResultPage<ContactPointRecord>>
  contactPoint(teamId: string, name: string): Promise<ContactPointRecord | undefined>
  rules(teamId: string, page: PageRequest): Promise<ResultPage<AlertRuleRecord>>
  rule(teamId: string, name: string): Promise<AlertRuleRecord | undefined>
  /** The rules of all teams. */
  allRules(): Promise<AlertRuleRecord[]>
  /** Newest first. */
  list(teamId: string, page: PageRequest): Promise<ResultPage<IncidentRecord>>
  /** The incidents of all teams that last or have messages to send. */
  active(): Promise<IncidentRecord[]>
}

export type IncidentChange =
  /** Replaces the team's contact point with this name. */
  | { put: 'contactPoint'; row: ContactPointRecord }
  | { drop: 'contactPoint'; contactPointId: string }
  /** Replaces the team's rule with this name. */
  | { put: 'alertRule'; row: AlertRuleRecord }
  | { drop: 'alertRule'; ruleId: string }
  | { put: 'incident'; row: IncidentRecord }
  /** Drops inactive incidents that started before this time (epoch ms). */
  | { drop: 'incidents'; before: number }
