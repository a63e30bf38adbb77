import type { Keyring } from '#account/keyring.ts'
import type { DashboardLanguage } from '#contract/dashboardLanguage.ts'
import type { EnvironmentName } from '#contract/me.ts'
import type { TeamTurns } from '#kit/teamTurns.ts'
import type { IncidentMessageRecord, IncidentRecord } from '#store/incidents.ts'
import type { Store } from '#store/store.ts'
import type { AlertPage } from './alertPage.ts'
import { incidentText, type NoticeState, type ReportedIncident } from './alertText.ts'
import { openContact } from './contactPoint.ts'
import type { IncidentBook } from './incidentBook.ts'
import { endMessages, gatherMs } from './incidentChanges.ts'
import { retryDelaysMs } from './sendNotifications.ts'
import { type ContactMessage, type ContactResult, type ContactSendDeps, sendToContact } from './sendToContact.ts'
import { unsubscribeUrl } from './subscription.ts'

export type IncidentSendDeps = ContactSendDeps & {
  environment: EnvironmentName
  keys: Keyring
  store: Pick<Store, 'incidents'>
  pageOf: AlertPage
  /** Ends with the version segment. */
  baseUrl: string
}

/** The incidents in one message to a contact point. */
type Batch = { teamId: string; contactPointId: string; to: string; state: NoticeState; ids: string[] }

/** The minimum time between two messages of one state to a contact point. */
const restMs = 10_000

const stateOf = ({ endedAt }: IncidentRecord, { about }: IncidentMessageRecord): NoticeState => {
  if (endedAt !== undefined) return 'ended'
  return about === 'repeat' ? 'repeated' : 'started'
}

/** The due messages, grouped by contact point and state. */
export function findBatches(incidents: Iterable<IncidentRecord>, now: number): Batch[] {
  const batches = new Map<string, Batch>()
  for (const incident of incidents)
    for (const message of incident.messages) {
      const { contactPointId, to, status, nextAt = 0 } = message
      if (status !== 'pending' || nextAt > now) continue
      const state = stateOf(incident, message)
      const name = `${contactPointId} ${state}`
      const batch = batches.get(name) ?? { teamId: incident.teamId, contactPointId, to, state, ids: [] }
      if (batch.ids.at(-1) !== incident.incidentId) batch.ids.push(incident.incidentId)
      batches.set(name, batch)
    }
  return [...batches.values()]
}

/** The message after an attempt. It has failed after the last retry, or at once after a final refusal. */
function settle(message: IncidentMessageRecord, result: ContactResult, now: number, group: string) {
  const { nextAt: _, message: __, ...rest } = message
  const tries = message.tries + 1
  if (result.isSent) return { ...rest, status: 'sent', tries, group: message.group ?? group, settledAt: now } as const
  const wait = result.isFinal ? undefined : retryDelaysMs[message.tries]
  if (wait === undefined) return { ...rest, status: 'failed', tries, message: result.message, settledAt: now } as const
  const nextAt = now + Math.max(wait, result.afterMs ?? 0)
  return { ...rest, status: 'pending', tries, nextAt, message: result.message } as const
}

/** Adds end messages to an incident that ended while its start was being sent. */
function withEnd(incident: IncidentRecord, notice: NoticeState, now: number): IncidentRecord {
  if (incident.endedAt === undefined || notice === 'ended') return incident
  const hasEnd = new Set(incident.messages.flatMap((each) => (each.about === 'end' ? [each.contactPointId] : [])))
  const withoutEnd = incident.messages.filter(({ contactPointId }) => !hasEnd.has(contactPointId))
  const added = endMessages(withoutEnd, now + gatherMs)
  return added.length === 0 ? incident : { ...incident, messages: [...incident.messages, ...added] }
}

function settleBatch(book: IncidentBook, batch: Batch, result: ContactResult, now: number): void {
  const isOwn = ({ contactPointId, status, nextAt = 0 }: IncidentMessageRecord) =>
    contactPointId === batch.contactPointId && status === 'pending' && nextAt <= now
  for (const id of batch.ids) {
    const incident = book.get(id)
    if (!incident) continue
    const messages = incident.messages.map((each) => (isOwn(each) ? settle(each, result, now, batch.ids[0]!) : each))
    book.put(withEnd({ ...incident, messages }, batch.state, now))
  }
}

const toReported = (
  incident: IncidentRecord,
  { contactPointId }: Batch,
  { pageOf }: Pick<IncidentSendDeps, 'pageOf'>,
): ReportedIncident => {
  const isRepeat = (each: IncidentMessageRecord) => each.about === 'repeat' && each.contactPointId === contactPointId
  return { ...incident, repeat: incident.messages.find(isRepeat)?.number ?? 0, url: pageOf(incident) }
}

function messageOf(
  batch: Batch,
  incidents: readonly IncidentRecord[],
  language: DashboardLanguage,
  deps: IncidentSendDeps,
) {
  const [first, ...others] = incidents.map((each) => toReported(each, batch, deps))
  const { teamId, state } = batch
  const listed = incidents.slice(0, 20).map(({ incidentId, rule, kind, tagId, subjects, firstAt, lastAt }) => ({
    ...{ incidentId, rule, kind, ...(tagId && { tagId }) },
    ...{ scriptIds: subjects.filter(Boolean).slice(0, 100), firstAt, lastAt },
  }))
  const data = { teamId, incidents: listed, count: incidents.length }
  return { text: incidentText(state, [first!, ...others], deps.pageOf({ teamId }), language), data }
}

/**
 * The PagerDuty alert keys that a message resolves: keys without an active incident. An incident whose start never
 * reached PagerDuty has no key.
 */
function endedGroups(book: IncidentBook, { contactPointId, ids }: Batch): string[] {
  const groupsOf = (incident: IncidentRecord) =>
    incident.messages.flatMap((each) => (each.contactPointId === contactPointId && each.group) || [])
  const ended = new Set(ids.flatMap((id) => groupsOf(book.get(id)!)))
  for (const incident of book.all())
    if (incident.endedAt === undefined) for (const group of groupsOf(incident)) ended.delete(group)
  return [...ended]
}

async function trySend(book: IncidentBook, batch: Batch, deps: IncidentSendDeps): Promise<ContactResult> {
  const contact = await deps.store.incidents.contactPoint(batch.teamId, batch.to)
  if (contact?.contactPointId !== batch.contactPointId)
    return { isSent: false, message: 'The contact point was removed.', isFinal: true }
  const incidents = batch.ids.flatMap((id) => book.get(id) ?? [])
  const settings = openContact(contact, deps)
  const { kind, teamId } = contact
  const text = messageOf(batch, incidents, settings.language, deps)
  const message: Omit<ContactMessage, 'dedupKey'> = {
    ...{ kind, teamId, settings, ...text },
    unsubscribeUrl: unsubscribeUrl(contact, settings.address ?? '', deps),
  }
  if (kind !== 'pagerDuty' || batch.state !== 'ended')
    return sendToContact({ ...message, dedupKey: batch.ids[0]! }, deps)
  for (const dedupKey of endedGroups(book, batch)) {
    const result = await sendToContact({ ...message, dedupKey }, deps)
    if (!result.isSent) return result
  }
  return { isSent: true }
}

/**
 * `rests`: when a contact point may get its next message of a state. `running`: contact points that are being sent to.
 */
export type ContactTurns = { turns: TeamTurns; rests: Map<string, number>; running: Set<string> }

/** Starts to send the messages that are due; the teams take turns. */
export function sendDueIncidents(
  book: IncidentBook,
  { turns, rests, running }: ContactTurns,
  deps: IncidentSendDeps,
): void {
  const now = deps.clock.now()
  for (const [name, until] of rests) if (until <= now || until > now + restMs) rests.delete(name)
  for (const batch of findBatches(book.all(), now)) {
    const { teamId, contactPointId, state } = batch
    const name = `${contactPointId} ${state}`
    if (turns.isBusy(contactPointId) || rests.has(name)) continue
    // A message about an incident that is not on disk could be sent again after a crash.
    const ids = batch.ids.filter((id) => book.isWritten(id))
    if (ids.length === 0) continue
    turns.start(contactPointId, { lane: teamId, key: contactPointId }, async () => {
      running.add(contactPointId)
      try {
        const result = await trySend(book, { ...batch, ids }, deps)
        rests.set(name, deps.clock.now() + restMs)
        settleBatch(book, { ...batch, ids }, result, now)
        await book.flush()
      } finally {
        running.delete(contactPointId)
      }
    })
  }
}
