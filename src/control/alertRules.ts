import { accessHolder, refuseEscalation } from '#account/privilege.ts'
import { phraseText } from '#alert/alertPhrases.ts'
import { oneLine } from '#alert/alertText.ts'
import { fieldsOfKind, maxAlertRules, maxContactPoints } from '#contract/alertKinds.ts'
import type { AlertRule, AlertRuleWrite, Incident } from '#contract/alertRule.ts'
import type { DashboardLanguage } from '#contract/dashboardLanguage.ts'
import { badRequest, fault } from '#contract/fault.ts'
import { limitReached } from '#contract/limitReached.ts'
import type { operations } from '#contract/operations.ts'
import type { OperationAnswer } from '#http/bindOperation.ts'
import { newId } from '#kit/id.ts'
import { isTimeZone } from '#order/scope.ts'
import type { AlertRuleRecord, IncidentRecord } from '#store/incidents.ts'
import { withChangeLock } from './changeLock.ts'
import { readableScopes } from './contactPoints.ts'
import type { ControlDeps } from './controlDeps.ts'
import { toPageRequest } from './pagination.ts'
import { saveChange } from './saveChange.ts'
import { requireTag } from './tags.ts'

type AnswerFor<Id extends keyof typeof operations> = OperationAnswer<(typeof operations)[Id], ControlDeps>

const rulesLockKey = (teamId: string) => `${teamId} alertRules`

const showRule = ({ name, settings }: AlertRuleRecord): AlertRule => ({ name, ...settings })

export const listAlertRules: AnswerFor<'listAlertRules'> = async ({ query, access }, deps) => {
  const { rows, next } = await deps.store.incidents.rules(access.teamId, toPageRequest(query))
  return { alertRules: rows.map(showRule), ...(next !== undefined && { next }) }
}

/** The settings of a rule as they are stored: its known fields alone. Throws badRequest for a field of another kind. */
function settingsOf(body: AlertRuleWrite): AlertRuleWrite {
  const { kind, tagId, to, quiet, timeZone, ...fields } = body
  if (timeZone !== undefined && !isTimeZone(timeZone))
    throw badRequest({ path: 'timeZone', message: 'must be a time zone, such as Europe/Berlin' })
  const own: readonly string[] = fieldsOfKind[kind]
  for (const field of Object.keys(fields))
    if (!own.includes(field)) throw badRequest({ path: field, message: `is not known for ${kind}` })
  if (kind === 'disk' && tagId !== undefined)
    throw badRequest({ path: 'tagId', message: 'is not known for disk, which is that of the server' })
  return {
    ...{ kind, to },
    ...(tagId !== undefined && { tagId }),
    ...(quiet !== undefined && { quiet }),
    ...(timeZone !== undefined && { timeZone }),
    ...fields,
  }
}

async function requireContacts(deps: ControlDeps, teamId: string, to: readonly string[]): Promise<void> {
  const { rows } = await deps.store.incidents.contactPoints(teamId, { limit: maxContactPoints })
  const unknown = to.find((name) => !rows.some((row) => row.name === name))
  if (unknown !== undefined)
    throw badRequest({ path: `to.${to.indexOf(unknown)}`, message: 'is the name of no contact point of the team' })
}

export const putAlertRule: AnswerFor<'putAlertRule'> = async ({ params: { name }, body, ...who }, deps) => {
  const { teamId } = who.access
  const attempt = { what: 'putAlertRule', teamId, object: name }
  await refuseEscalation(deps, readableScopes, accessHolder(who.access, who.from), attempt)
  const settings = settingsOf(body)
  if (settings.tagId !== undefined) await requireTag(deps, who.access, settings.tagId)
  await requireContacts(deps, teamId, settings.to)
  return withChangeLock(rulesLockKey(teamId), async () => {
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
    return showRule(row)
  })
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
    ...{
      incidentId,
      rule,
      kind,
      ...(tagId && { tagId }),
      scriptIds: subjects.filter(Boolean).slice(0, maxShownScripts),
    },
    ...{
      title: oneLine(phraseText(title, language)),
      firstAt,
      lastAt,
      startedAt,
      ...(endedAt !== undefined && { endedAt }),
    },
    messages: messages.map(({ to, about, status, tries, message }) => ({
      ...{ to, about, status, tries, ...(message !== undefined && { message }) },
    })),
  }
}

export const listIncidents: AnswerFor<'listIncidents'> = async ({ query, access, language }, deps) => {
  const { rows, next } = await deps.store.incidents.list(access.teamId, toPageRequest(query))
  return { incidents: rows.map((row) => showIncident(row, language)), ...(next !== undefined && { next }) }
}
