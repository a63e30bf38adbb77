import { isDeepStrictEqual } from 'node:util'
import { type ReferenceContext, resolveReference, type SecretReference } from '#cli/api/secretReferences.ts'
import { UsageError } from '#cli/operatorCall.ts'
import type { AlertRule } from '#contract/alertRule.ts'
import type { Client } from '#contract/client.ts'
import type { ContactPoint, ContactPointWrite } from '#contract/contactPoint.ts'
import { asSentence } from '#contract/issueSentence.ts'

/** A contact point in a configuration file, with secrets by reference. */
type ContactConfig = Omit<ContactPointWrite, 'url' | 'routingKey'> & {
  name: string
  url?: SecretReference
  routingKey?: SecretReference
}
/** An alert rule in a configuration file, with its tag by name. */
type AlertConfig = Omit<AlertRule, 'tagId' | 'mutedUntil'> & { tag?: string }

type AlertSections = { contactPoints?: ContactConfig[]; alerts?: AlertConfig[] }
type AlertFile = AlertSections & { tags?: readonly { name: string }[] }
type AlertState = { contactPoints: readonly ContactPoint[]; alertRules: readonly AlertRule[] }
type NamedTag = { tagId: string; name: string }

const hasSections = ({ contactPoints, alerts }: AlertSections) => contactPoints !== undefined || alerts !== undefined

/** Reads contact points and rules; both fit on one page. */
async function readAlertState(api: Client): Promise<AlertState> {
  const { contactPoints } = await api.listContactPoints({ limit: 200 })
  const { alertRules } = await api.listAlertRules({ limit: 200 })
  return { contactPoints, alertRules }
}

const toConfig = ({ tagId, mutedUntil: _, ...rule }: AlertRule, tags: readonly NamedTag[]): AlertConfig => {
  const tag = tags.find((each) => each.tagId === tagId)?.name ?? tagId
  return { ...rule, ...(tag !== undefined && { tag }) }
}

/** Only e-mail addresses can be read back: other contact points of a kind count as equal unless all secrets are sent again. */
const isSameContact = (config: ContactConfig, now: ContactPoint | undefined, isAll: boolean) =>
  now?.kind === config.kind &&
  (config.language ?? now.language) === now.language &&
  (config.kind === 'email' ? now.target === config.address : !isAll)

export type AlertChanges = { contactPoints: ContactConfig[]; alerts: AlertConfig[] }
const noAlertChanges: AlertChanges = { contactPoints: [], alerts: [] }

/** Throws UsageError for a rule whose tag or contact point is neither in the file nor in the team. */
function checkNames(
  { contactPoints = [], alerts = [], tags = [] }: AlertFile,
  state: AlertState,
  own: readonly NamedTag[],
) {
  const tagNames = new Set([...tags, ...own].map(({ name }) => name))
  const contactNames = new Set([...contactPoints, ...state.contactPoints].map(({ name }) => name))
  for (const { name, tag, to } of alerts) {
    if (tag !== undefined && !tagNames.has(tag)) throw new UsageError(`alert rule ${name}: tag ${tag} not found.`)
    const missing = to.find((each) => !contactNames.has(each))
    if (missing !== undefined) throw new UsageError(`alert rule ${name}: contact point ${missing} not found.`)
  }
}

type AlertPlanContext = { tags: readonly NamedTag[]; secrets?: boolean | undefined; context: ReferenceContext }

/**
 * The contact points and rules of the file that differ from the team's. Others stay. Throws UsageError, before any
 * change, for settings that could not be applied.
 */
export async function planAlerts(
  config: AlertFile,
  { tags, secrets = false, context }: AlertPlanContext,
  api: Client,
): Promise<AlertChanges> {
  if (!hasSections(config)) return noAlertChanges
  const state = await readAlertState(api)
  checkNames(config, state, tags)
  const contactOf = (name: string) => state.contactPoints.find((each) => each.name === name)
  const ruleOf = (name: string) => state.alertRules.find((each) => each.name === name)
  const contactPoints = (config.contactPoints ?? []).filter(
    (each) => !isSameContact(each, contactOf(each.name), secrets),
  )
  for (const { name, url, routingKey } of contactPoints)
    for (const reference of [url, routingKey]) resolve(reference, name, context)
  return {
    contactPoints,
    alerts: (config.alerts ?? []).filter((each) => {
      const now = ruleOf(each.name)
      return now === undefined || !isDeepStrictEqual(toConfig(now, tags), each)
    }),
  }
}

export const countAlertChanges = ({ contactPoints, alerts }: AlertChanges) => contactPoints.length + alerts.length

/** The changes as lines of a plan. */
export const formatAlertChanges = ({ contactPoints, alerts }: AlertChanges): string =>
  [
    ...contactPoints.map(({ name, kind }) => `~ contact point ${name}\n    kind: ${kind}\n`),
    ...alerts.map(({ name, kind, to }) => `~ alert rule ${name}\n    kind: ${kind}\n    to: ${to.join(', ')}\n`),
  ].join('')

function resolve(reference: SecretReference | undefined, name: string, context: ReferenceContext): string | undefined {
  if (reference === undefined) return undefined
  try {
    return resolveReference(reference, context)
  } catch (problem) {
    throw new UsageError(`contact point ${name}: ${asSentence((problem as Error).message)}`)
  }
}

/** The scopes that applying the changes needs. */
export const alertScopes = (changes: AlertChanges) => (countAlertChanges(changes) === 0 ? [] : ['hook:write'])

/**
 * Saves contact points, then the rules that name them. The tags of the file already exist. Resolves with the server's
 * warnings.
 */
export async function applyAlerts(
  { contactPoints, alerts }: AlertChanges,
  context: ReferenceContext,
  api: Client,
): Promise<string[]> {
  const lines: string[] = []
  for (const { name, url, routingKey, ...body } of contactPoints) {
    const address = resolve(url, name, context)
    const key = resolve(routingKey, name, context)
    const secrets = { ...(address !== undefined && { url: address }), ...(key !== undefined && { routingKey: key }) }
    await api.putContactPoint({ name, body: { ...body, ...secrets } })
  }
  const { tags } = alerts.length > 0 ? await api.readMe() : { tags: [] }
  for (const { name, tag, ...body } of alerts) {
    const tagId = tags.find((each) => each.name === tag)?.tagId
    if (tag !== undefined && tagId === undefined) throw new UsageError(`alert rule ${name}: tag ${tag} not found.`)
    const { warnings = [] } = await api.putAlertRule({ name, body: { ...body, ...(tagId !== undefined && { tagId }) } })
    lines.push(...warnings.map((warning) => `alert rule ${name}: ${warning}`))
  }
  return lines
}

const toVariable = (name: string) =>
  `${name.replace(/[^A-Za-z0-9]+/g, '_').toUpperCase()}_ALERTS`.replace(/^(?=\d)/, '_')

/** The alert sections of a team for a file; empty if the token may not read them. */
export async function exportAlerts(tags: readonly NamedTag[], api: Client): Promise<AlertSections> {
  const { scopes } = await api.readMe()
  if (!(scopes as readonly string[]).includes('hook:read')) return {}
  const { contactPoints, alertRules } = await readAlertState(api)
  const exported = contactPoints.map(({ name, kind, target, language }): ContactConfig => {
    if (kind === 'email') return { name, kind, language, address: target }
    const secret = { env: toVariable(name) }
    return kind === 'pagerDuty' ? { name, kind, language, routingKey: secret } : { name, kind, language, url: secret }
  })
  return {
    ...(exported.length > 0 && { contactPoints: exported }),
    ...(alertRules.length > 0 && { alerts: alertRules.map((rule) => toConfig(rule, tags)) }),
  }
}
