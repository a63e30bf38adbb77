import { accessHolder, refuseEscalation } from '#account/privilege.ts'
import { phraseText } from '#alert/alertPhrases.ts'
import { oneLine } from '#alert/alertText.ts'
import { fieldsOfKind, maxAlertRules, maxContactPoints } from '#contract/alertKinds.ts'
import type { AlertRule, AlertRuleWrite, Incident } from '#contract/alertRule.ts'
import type { DashboardLanguage } from '#contract/dashboardLanguage.ts'
import { badRequest, fault } from '#contract/fault.ts'
import { limitReached } from '#contract/limitReached.ts'
import { defined } from '#kit/defined.ts'
import { newId } from '#kit/id.ts'
import { isTimeZone } from '#order/scope.ts'
import type { AlertRuleRecord, IncidentRecord } from '#store/incidents.ts'
import type { StoreChange } from '#store/store.ts'
import { withChangeLock } from './changeLock.ts'
import { readableScopes } from './contactPoints.ts'
import type { AnswerFor, ControlDeps } from './controlDeps.ts'
import { toPageRequest } from './pagination.ts'
import { saveChange } from './saveChange.ts'
import { requireTag } from './tags.ts'

const rulesLockKey = (teamId: string) => `${teamId} alertRules`

const showRule = ({ name, settings }: AlertRuleRecord): AlertRule => ({ name, ...settings })

export const listAlertRules: AnswerFor<'listAlertRules'> = async ({ query, access }, deps) => {
  const { rows, next } = await deps.store.incidents.rules(access.teamId, toPageRequest(query))
  return {
    alertRules: rows.map(showRule),
    ...(await readTeamMute(deps, access.teamId)),
    ...(next !== undefined && { next }),
  }
}

const showMute = (until: number | undefined, now: number) =>
  until !== undefined && until > now ? { mutedUntil: until } : {}

const readTeamMute = async ({ store, clock }: ControlDeps, teamId: string) =>
  showMute((await store.team(teamId))?.alertsMutedUntil, clock.now())

export const muteAlertRules: AnswerFor<'muteAlertRules'> = async ({ body, ...who }, deps) => {
  const { teamId } = who.access
  return withChangeLock(rulesLockKey(teamId), async () => {
    const before = await readTeamMute(deps, teamId)
    const after = showMute(body.until, deps.clock.now())
    const rows: StoreChange[] = [{ put: 'teamMute', teamId, ...(after.mutedUntil && { until: after.mutedUntil }) }]
    await saveChange(deps, who, { what: 'muteAlertRules', object: teamId, before, after, rows })
    return after
  })
}

/** The settings of a rule as stored: only its known fields. Throws badRequest for a field of another kind. */
function settingsOf(body: AlertRuleWrite): AlertRuleWrite {
  const { kind, tagId, to, quiet, timeZone, ...fields } = body
  if (timeZone !== undefined && !isTimeZone(timeZone))
    throw badRequest({ path: 'timeZone', message: 'must be a time zone, such as Europe/Berlin' })
  const own: readonly string[] = fieldsOfKind[kind]
  for (const field of Object.keys(fields))
    if (!own.includes(field)) throw badRequest({ path: field, message: `is not a setting of ${kind}` })
  if (kind === 'disk' && tagId !== undefined)
    throw badRequest({ path: 'tagId', message: 'does not apply to disk, because the disk belongs to the server' })
  return { kind, to, ...defined({ tagId, quiet, timeZone }), ...fields }
}

async function requireContacts(deps: ControlDeps, teamId: string, to: readonly string[]): Promise<void> {
  const { rows } = await deps.store.incidents.contactPoints(teamId, { limit: maxContactPoints })
  const unknown = to.find((name) => !rows.some((row) => row.name === name))
  if (unknown !== undefined)
    throw badRequest({ path: `to.${to.indexOf(unknown)}`, message: 'is not a contact point of the team' })
}

const searchedMs = 28 * 86_400_000
/** Each tag needs a query. A rule without a tag is not checked if the team has more tags. */
const maxSearchedTags = 20

/** Whether a tag had the event of a rule in the last 28 days. True if that cannot be read now. */
async function isEventKnown({ store, clock, log }: ControlDeps, rule: AlertRuleRecord): Promise<boolean> {
  const { teamId, settings } = rule
  const { tagId, eventName } = settings
  if (eventName === undefined) return true
  const { rows, next } = await store.tags(teamId, { limit: maxSearchedTags })
  if (tagId === undefined && next !== undefined) return true
  // Including the current minute.
  const to = clock.now() + 60_000
  for (const each of tagId === undefined ? rows.map((row) => row.tagId) : [tagId])
    try {
      const request = { from: to - searchedMs, to, step: 'day', eventName } as const
      const { events } = await store.queries(teamId).stats(each, request)
      if (events.total > 0) return true
    } catch (error) {
      log({ level: 'warn', message: 'could not search for the event of an alert rule', teamId, error })
      return true
    }
  return false
}

const warningsOf = async (deps: ControlDeps, rule: AlertRuleRecord): Promise<string[]> =>
  (await isEventKnown(deps, rule))
    ? []
    : [
        `No event named ${JSON.stringify(rule.settings.eventName)} was received in the last 28 days. Check its spelling.`,
      ]

export const putAlertRule: AnswerFor<'putAlertRule'> = async ({ params: { name }, body, ...who }, deps) => {
  const { teamId } = who.access
  const attempt = { what: 'putAlertRule', teamId, object: name }
  await refuseEscalation(deps, readableScopes, accessHolder(who.access, who.from), attempt)
  const settings = settingsOf(body)
  if (settings.tagId !== undefined) await requireTag(deps, who.access, settings.tagId)
  await requireContacts(deps, teamId, settings.to)
  const saved = await withChangeLock(rulesLockKey(teamId), async () => {
    const { rows } = await deps.store.incidents.rules(teamId, { limit: maxAlertRules })
    const previous = rows.find((row) => row.name === name)
    if (!previous && rows.length >= maxAlertRules) throw limitReached('tooManyAlertRules', maxAlertRules)
    const now = deps.clock.now()
    const mutedUntil = previous?.settings.mutedUntil
    const row: AlertRuleRecord = {
      ...{ ruleId: previous?.ruleId ?? newId('rule', now), teamId, name, createdAt: previous?.createdAt ?? now },
      settings: { ...settings, ...(mutedUntil !== undefined && { mutedUntil }) },
    }
    await saveChange(deps, who, {
      ...{ what: 'putAlertRule', object: row.ruleId, after: showRule(row) },
      ...(previous && { before: showRule(previous) }),
      rows: [{ alerting: { put: 'alertRule', row } }],
    })
    return row
  })
  const warnings = await warningsOf(deps, saved)
  return { ...showRule(saved), ...(warnings.length > 0 && { warnings }) }
}

/** Changes a rule under its lock. */
const withRule = async <Out>(
  deps: ControlDeps,
  teamId: string,
  name: string,
  change: (rule: AlertRuleRecord) => Promise<Out>,
) =>
  withChangeLock(rulesLockKey(teamId), async () => {
    const rule = await deps.store.incidents.rule(teamId, name)
    if (!rule) throw fault('alertRuleUnknown')
    return change(rule)
  })

export const muteAlertRule: AnswerFor<'muteAlertRule'> = ({ params: { name }, body, ...who }, deps) =>
  withRule(deps, who.access.teamId, name, async (rule) => {
    const { mutedUntil: _, ...settings } = rule.settings
    const row = { ...rule, settings: { ...settings, ...(body.until > deps.clock.now() && { mutedUntil: body.until }) } }
    await saveChange(deps, who, {
      ...{ what: 'muteAlertRule', object: rule.ruleId, before: showRule(rule), after: showRule(row) },
      rows: [{ alerting: { put: 'alertRule', row } }],
    })
    return showRule(row)
  })

export const deleteAlertRule: AnswerFor<'deleteAlertRule'> = ({ params: { name }, ...who }, deps) =>
  withRule(deps, who.access.teamId, name, async (rule) => {
    await saveChange(deps, who, {
      ...{ what: 'deleteAlertRule', object: rule.ruleId, before: showRule(rule) },
      rows: [{ alerting: { drop: 'alertRule', ruleId: rule.ruleId } }],
    })
    return { name }
  })

const maxShownScripts = 100

/** An incident as the API returns it. */
const showIncident = (
  { incidentId, rule, kind, tagId, subjects, title, ...incident }: IncidentRecord,
  language: DashboardLanguage,
): Incident => {
  const { firstAt, lastAt, startedAt, endedAt, messages } = incident
  return {
    ...{ incidentId, rule, kind, firstAt, lastAt, startedAt },
    ...defined({ tagId: tagId || undefined, endedAt }),
    scriptIds: subjects.filter(Boolean).slice(0, maxShownScripts),
    title: oneLine(phraseText(title, language)),
    messages: messages.map(({ to, about, status, tries, message }) => ({
      ...{ to, about, status, tries, ...(message !== undefined && { message }) },
    })),
  }
}

export const listIncidents: AnswerFor<'listIncidents'> = async ({ query, access, language }, deps) => {
  const { rows, next } = await deps.store.incidents.list(access.teamId, toPageRequest(query))
  return {
    incidents: rows.map((row) => showIncident(row, language)),
    ...(await readTeamMute(deps, access.teamId)),
    ...(next !== undefined && { next }),
  }
}
