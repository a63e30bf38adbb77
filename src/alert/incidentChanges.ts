import type { AlertRuleKind, ContactKind } from '#contract/alertKinds.ts'
import { newId } from '#kit/id.ts'
import type { AlertPhrase, AlertRuleRecord, IncidentMessageRecord, IncidentRecord } from '#store/incidents.ts'
import type { WatchedTag } from './alertFigures.ts'
import type { Breach } from './findBreaches.ts'
import { afterQuietHours } from './quietHours.ts'

const minuteMs = 60_000
/** New incidents wait this long for others, so that simultaneous causes are reported in one message. */
export const gatherMs = 5_000
/**
 * How long a figure must be normal before an incident ends, so that repeated crossings of a limit are one incident. A
 * channel that sends again has recovered at once.
 */
const calmMs: Readonly<Record<AlertRuleKind, number>> = {
  channelStopped: 0,
  volumeDrop: 0,
  volumeRise: 0,
  silence: 0,
  matchKeys: 0,
  failureRate: 5 * minuteMs,
  valuesMissing: 5 * minuteMs,
  eventIssues: 5 * minuteMs,
  ordersMissing: 5 * minuteMs,
  latency: 5 * minuteMs,
  backlog: 5 * minuteMs,
  consentSkipped: 0,
  callsRefused: 5 * minuteMs,
  duplicates: 5 * minuteMs,
  newEventName: 0,
  disk: 5 * minuteMs,
}

type IncidentRequest = {
  rule: AlertRuleRecord
  tag: WatchedTag
  /** The active incidents of this rule on this tag. */
  open: readonly IncidentRecord[]
  breaches: readonly Breach[]
  /** The existing contact points of the rule. */
  contacts: readonly { contactPointId: string; name: string; kind: ContactKind }[]
  titleOf(subjects: readonly string[]): AlertPhrase
  now: number
  isMuted: boolean
}

/**
 * The messages about the end, for contact points that were told about the start. The others learn everything from the
 * message that they still wait for.
 */
export const endMessages = (messages: readonly IncidentMessageRecord[], nextAt: number): IncidentMessageRecord[] =>
  messages
    .filter(({ about, status }) => about === 'start' && status === 'sent')
    .map(({ contactPointId, to, group }) => ({
      ...{ contactPointId, to, about: 'end', status: 'pending', tries: 0, nextAt },
      ...(group !== undefined && { group }),
    }))

export function endIncident(incident: IncidentRecord, now: number, quiet: string | undefined): IncidentRecord {
  const nextAt = afterQuietHours(now + gatherMs, quiet, incident.timeZone)
  const { calmSince: _, ...rest } = incident
  const sentOrDue = incident.messages.filter(({ about, status }) => about !== 'repeat' || status !== 'pending')
  return { ...rest, endedAt: now, messages: [...sentOrDue, ...endMessages(sentOrDue, nextAt)] }
}

const repeatEveryMs = 4 * 60 * minuteMs
/** Actions of people, and changes that are not faults, are reported only once. */
const isRepeated = ({ kind, detail }: IncidentRecord) => kind !== 'newEventName' && detail.name !== 'isPaused'

/**
 * Adds a reminder for each contact point whose last message was four hours ago, except PagerDuty, which escalates by
 * itself.
 */
function withRepeats(
  incident: IncidentRecord,
  { rule, contacts, now, isMuted }: Pick<IncidentRequest, 'rule' | 'contacts' | 'now' | 'isMuted'>,
): IncidentMessageRecord[] {
  const { messages, startedAt, timeZone } = incident
  if (isMuted || !isRepeated(incident)) return messages
  const lastOf = (id: string) => messages.findLast(({ contactPointId }) => contactPointId === id)
  const due = contacts.flatMap(({ contactPointId, kind }): IncidentMessageRecord[] => {
    const { status, about, to, number = 0, settledAt = startedAt, group } = lastOf(contactPointId) ?? {}
    const isNotified = to !== undefined && (status === 'sent' || (status === 'failed' && about === 'repeat'))
    if (!isNotified || kind === 'pagerDuty' || now < settledAt + repeatEveryMs) return []
    const nextAt = afterQuietHours(now + gatherMs, rule.settings.quiet, timeZone)
    const repeat = {
      contactPointId,
      to,
      about: 'repeat',
      status: 'pending',
      tries: 0,
      nextAt,
      number: number + 1,
    } as const
    return [{ ...repeat, ...(group !== undefined && { group }) }]
  })
  if (due.length === 0) return messages
  const isReplaced = ({ about, contactPointId }: IncidentMessageRecord) =>
    about === 'repeat' && due.some((each) => each.contactPointId === contactPointId)
  return [...messages.filter((each) => !isReplaced(each)), ...due]
}

function continueIncident(incident: IncidentRecord, request: IncidentRequest): IncidentRecord | undefined {
  const { rule, breaches, now } = request
  const own = breaches.filter(({ subject }) => incident.subjects.includes(subject))
  if (own.length === 0) {
    const calmSince = incident.calmSince ?? now
    if (now - calmSince >= calmMs[incident.kind]) return endIncident(incident, now, rule.settings.quiet)
    return incident.calmSince === undefined ? { ...incident, calmSince } : undefined
  }
  const lastAt = Math.max(incident.lastAt, ...own.map((breach) => breach.lastAt))
  const { calmSince: _, ...rest } = incident
  return { ...rest, lastAt, messages: withRepeats(incident, request) }
}

function startIncident(
  { rule, tag, contacts, titleOf, now }: IncidentRequest,
  fresh: readonly Breach[],
): IncidentRecord {
  const { settings, ruleId, teamId, name } = rule
  const timeZone = settings.timeZone ?? 'UTC'
  const nextAt = afterQuietHours(now + gatherMs, settings.quiet, timeZone)
  const subjects = fresh.map(({ subject }) => subject)
  return {
    ...{ incidentId: newId('inc', now), teamId, ruleId, tagId: tag.tagId, rule: name, kind: settings.kind, subjects },
    ...{ title: titleOf(subjects), detail: fresh[0]!.detail, timeZone, startedAt: now },
    firstAt: Math.min(...fresh.map(({ firstAt }) => firstAt)),
    lastAt: Math.max(...fresh.map(({ lastAt }) => lastAt)),
    messages: contacts.map(({ contactPointId, name: to }) => ({
      ...{ contactPointId, to, about: 'start', status: 'pending', tries: 0, nextAt },
    })),
  }
}

/**
 * Returns the changed incidents of a rule. Violations that begin together on one tag are one incident. A muted rule
 * starts no incidents and sends no reminders; active incidents can still end.
 */
export function changeIncidents(request: IncidentRequest): IncidentRecord[] {
  const { open, breaches, isMuted } = request
  const changed = open.flatMap((incident) => continueIncident(incident, request) ?? [])
  const known = new Set(open.flatMap(({ subjects }) => subjects))
  const fresh = breaches.filter(({ subject }) => !known.has(subject))
  return fresh.length > 0 && !isMuted ? [...changed, startIncident(request, fresh)] : changed
}
