import { isCustomerAddress } from '#provider/form/hostKind.ts'
import { matchKeysOf, matchStrengths } from '#provider/form/matchKeys.ts'
import type { Provider } from '#provider/form/provider.ts'
import { isSensitive, type SecretSpec } from '#provider/form/secret.ts'
import type { HashName, RuleKey, UserRule } from '#provider/form/userRule.ts'

/** Texts of a reference have code between backticks. */
const code = (text: string) => `\`${text}\``

const hosts: Record<Provider['host'], string> = {
  fixed: 'the vendor',
  label: 'the vendor, a part of its name by a variable',
  tenant: 'the address of your instance, behind the outbound guard',
  customer: 'the address that you set, behind the outbound guard',
}

/** A duration in the largest unit that gives a whole number. */
function durationOf(ms: number): string {
  const hours = ms / 3_600_000
  return hours % 24 === 0 ? `${hours / 24} days` : `${hours} hours`
}

function eventsOf({ events, eventMapping, customEventName }: Provider): string {
  const names = Object.entries(events).map(([ours, theirs]) => (ours === theirs ? ours : `${ours} → ${code(theirs)}`))
  return [
    ...(eventMapping ? [`what you pair in ${code(eventMapping)}`] : []),
    ...names,
    ...(customEventName ? ['custom events'] : []),
  ].join(' · ')
}

const hashNames = { sha256: 'SHA-256', sha1: 'SHA-1', md5: 'MD5' } satisfies Record<HashName, string>
const userOf = ([field, { key, hash }]: [string, UserRule]) =>
  `${key} → ${code(field)} (${hash ? hashNames[hash] : 'plain'})`

const required = ({ requires }: Provider) =>
  requires
    ?.map((signs) =>
      [signs]
        .flat()
        .map((sign) => code(sign.replace(/^(captured|app)\./, '')))
        .join(' with '),
    )
    .join(' or ') ?? 'nothing'

const nobody = '—'

/** The vendor's fields for a value of the person. */
const fieldsFor = ({ user }: Provider, ...keys: readonly RuleKey[]) =>
  Object.entries(user)
    .flatMap(([field, { key }]) => (keys.includes(key) ? [code(field)] : []))
    .join(', ') || nobody

const ofVisitors: ReadonlySet<RuleKey | undefined> = new Set(['anonymousId', 'anyStableId', 'ip', 'userAgent'])

/** How a visitor without a known customer id or e-mail is identified. */
function visitorBy({ user, requires }: Provider): string {
  if (!requires) return 'sent without one'
  const isOfVisitor = (sign: string) => /^(captured|app)\./.test(sign) || ofVisitors.has(user[sign]?.key)
  const alternatives = requires.map((signs) => [signs].flat()).filter((signs) => signs.every(isOfVisitor))
  const shown = alternatives.map((signs) =>
    signs.map((sign) => code(sign.replace(/^(captured|app)\./, ''))).join(' + '),
  )
  return shown.join(', ') || 'not sent'
}

/** The match keys by strength, strongest first. */
const matchKeyTexts = (provider: Provider) =>
  matchStrengths
    .flatMap((strength) => {
      const keys = matchKeysOf(provider).filter((each) => each.strength === strength)
      return keys.length > 0 ? [`${strength}: ${keys.map(({ vendorKey }) => code(vendorKey)).join(', ')}`] : []
    })
    .join('; ')

const capturesOf = ({ captures = [], clickParam }: Provider) => {
  const named = captures.flatMap(({ query, cookie }) => [
    ...(query ? [`?${query}`] : []),
    ...(cookie ? [`cookie ${cookie}`] : []),
  ])
  return [...named.map(code), ...(clickParam ? [`the parameter that ${code(clickParam)} names`] : [])].join(', ')
}

/** The part of a channel that the SDK's module handles. */
const pagePart = ({ secrets, events, eventMapping, customEventName }: Provider) => {
  const isInPageOnly = Object.keys(events).length === 0 && !eventMapping && !customEventName
  if (isInPageOnly) return 'all of it: nothing is sent from here'
  const asks = Object.entries(secrets).find(([, { usedBy }]) => usedBy === 'browser')
  return asks ? `the vendor's pixel, where ${code(asks[0])} asks for it` : 'a part of it'
}

function limitsOf({ maxAgeMs, clickWindowMs, batch, dedup, refunds, toTestMode, tokenRequest }: Provider): string {
  return [
    ...(maxAgeMs ? [`not older than ${durationOf(maxAgeMs)}`] : []),
    ...(clickWindowMs ? [`credits clicks of the last ${durationOf(clickWindowMs)}`] : []),
    ...(batch ? [`takes up to ${batch.maxEvents} at once`] : []),
    ...(tokenRequest ? ['asks for a token first'] : []),
    `repeats: ${dedup}`,
    ...(refunds ? [`refunds are not sent: ${refunds}`] : []),
    toTestMode ? 'the sandbox uses its test mode' : 'simulated in the sandbox',
  ].join('; ')
}

const choicesOf = ({ choices, regionHosts }: SecretSpec) =>
  choices &&
  `One of ${choices.map((value) => code(value) + (regionHosts ? ` (${regionHosts[value]})` : '')).join(', ')}.`

const variableOf = ([variable, spec]: [string, SecretSpec]) => [
  code(variable),
  spec.type + (isSensitive(spec) ? ', secret' : ''),
  spec.default ? `no: ${code(spec.default)}` : spec.optional ? 'no' : 'yes',
  [spec.description ?? spec.label, choicesOf(spec), spec.whyInUrl && `It is part of the URL: ${spec.whyInUrl}`]
    .filter(Boolean)
    .join(' '),
]

/** The documentation of one provider. `variables`: name, type, whether it is required, and where it is found. */
export type ProviderReference = {
  id: string
  label: string
  stage: string
  docs: string
  dashboardUrl?: string
  facts: readonly (readonly [string, string])[]
  variables: readonly (readonly string[])[]
}

/** The column heads of `variables`. */
export const variableHeads = ['variable', 'type', 'required', 'where it is found'] as const

export function providerReference(id: string, provider: Provider): ProviderReference {
  const captures = capturesOf(provider)
  const user = Object.entries(provider.user).map(userOf).join(' · ')
  const limits = limitsOf(provider)
  const matchKeys = matchKeyTexts(provider)
  const { label, stage, docs, dashboardUrl } = provider
  return {
    id,
    label,
    stage,
    docs,
    ...(dashboardUrl !== undefined && { dashboardUrl }),
    facts: [
      ['goes to', hosts[provider.host]],
      ['consent', provider.consent.join(', ')],
      ...(provider.hasBrowserModule ? ([['in the page', pagePart(provider)]] as const) : []),
      ['events', eventsOf(provider)],
      ...(provider.acceptsUserEvents ? ([['updates', 'what `/user` and `/data` set of a person']] as const) : []),
      ['of the person', user || 'nothing'],
      ['needs', required(provider)],
      ...(matchKeys ? ([['match keys', matchKeys]] as const) : []),
      ...(captures ? ([['captures', captures]] as const) : []),
      ['limits', isCustomerAddress(provider.host) ? limits.replace('; simulated in the sandbox', '') : limits],
    ],
    variables: Object.entries(provider.secrets).map(variableOf),
  }
}

const testModeOf = ({ toTestMode, host }: Provider) =>
  toTestMode ? "the vendor's" : isCustomerAddress(host) ? 'sent as it is' : 'simulated'

/** All providers side by side. The first column is the id. */
export const providerTable = (providers: Readonly<Record<string, Provider>>) => ({
  head: ['provider', 'stage', 'consent', 'a customer', 'an e-mail', 'a visitor', 'events in a request', 'test mode'],
  rows: Object.entries(providers).map(([id, provider]) => [
    id,
    provider.stage,
    provider.consent.join(', '),
    fieldsFor(provider, 'customerId', 'anyStableId'),
    fieldsFor(provider, 'email'),
    visitorBy(provider),
    provider.batch ? `${provider.batch.maxEvents}` : '1',
    testModeOf(provider),
  ]),
})
