import type { AlertRuleKind, ContactKind } from '#contract/alertKinds.ts'
import type { AlertRule } from '#contract/alertRule.ts'
import type { PageRequest, ResultPage } from './cursor.ts'

/** Where alerts of a team go. `sealed` holds the address and its secrets under the key of the team. */
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
 * A message about the start or the end of an incident to one contact point, or the last one that repeats the start while
 * it lasts, by its `number`. `nextAt` is present while it is pending, `settledAt` once it is sent or given up. `group` is
 * the first of the incidents that one message told of.
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

/** A sentence in no language: the name of a template, and the values of its places (alert/alertPhrases.ts). */
export type AlertPhrase = { name: string; values: readonly (string | number)[] }

/**
 * What a rule found on a tag. `subjects`: the channels, or one empty text for the tag. `calmSince`: nothing was found
 * from then on, and it ends soon. Times are epoch ms.
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

/** An incident lasts, or has messages that are to be sent. */
export const isActive = ({ endedAt, messages }: IncidentRecord): boolean =>
  endedAt === undefined || messages.some(({ status }) => status === 'pending')

/** The alert rules of teams, and what they found. */
export type IncidentStore = {
  contactPoints(teamId: string, page: PageRequest): Promise<ResultPage<ContactPointRecord>>
  contactPoint(teamId: string, name: string): Promise<ContactPointRecord | undefined>
  rules(teamId: string, page: PageRequest): Promise<ResultPage<AlertRuleRecord>>
  rule(teamId: string, name: string): Promise<AlertRuleRecord | undefined>
  /** The rules of all teams. */
  allRules(): Promise<AlertRuleRecord[]>
  /** Newest first. */
  list(teamId: string, page: PageRequest): Promise<ResultPage<IncidentRecord>>
  /** Those of all teams that last or have messages to send. */
  active(): Promise<IncidentRecord[]>
}

export type IncidentChange =
  /** Replaces the contact point of the team with this name. */
  | { put: 'contactPoint'; row: ContactPointRecord }
  | { drop: 'contactPoint'; contactPointId: string }
  /** Replaces the rule of the team with this name. */
  | { put: 'alertRule'; row: AlertRuleRecord }
  | { drop: 'alertRule'; ruleId: string }
  | { put: 'incident'; row: IncidentRecord }
  /** Drops the incidents that started before (epoch ms) and are not active. */
  | { drop: 'incidents'; before: number }
