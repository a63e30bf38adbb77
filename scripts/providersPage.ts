import { isCustomerAddress } from '#provider/form/hostKind.ts'
import type { Provider } from '#provider/form/provider.ts'
import { isSensitive, type SecretSpec } from '#provider/form/secret.ts'
import type { HashName, UserRule } from '#provider/form/userRule.ts'
import { providers } from '#providers/index.ts'

const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll('\n', ' ')
const code = (text: string) => `\`${text}\``
const rows = (lines: readonly (readonly string[])[]) =>
  lines.map((line) => `| ${line.map(cell).join(' | ')} |`).join('\n')

const hosts: Record<Provider['host'], string> = {
  fixed: 'the vendor',
  label: 'the vendor, a part of its name by a variable',
  tenant: 'the address of your instance, behind the outbound guard',
  customer: 'the address that you set, behind the outbound guard',
}

/** How long, in the largest unit that is whole. */
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

const capturesOf = ({ captures = [], clickParam }: Provider) => {
  const named = captures.flatMap(({ query, cookie }) => [
    ...(query ? [`?${query}`] : []),
    ...(cookie ? [`cookie ${cookie}`] : []),
  ])
  return [...named.map(code), ...(clickParam ? [`the parameter that ${code(clickParam)} names`] : [])].join(', ')
}

/** Which part of a channel the SDK's module does. */
const pagePart = ({ secrets, events, eventMapping, customEventName }: Provider) => {
  const isInPageOnly = Object.keys(events).length === 0 && !eventMapping && !customEventName
  if (isInPageOnly) return 'all of it: nothing is sent from here'
  const asks = Object.entries(secrets).find(([, { usedBy }]) => usedBy === 'browser')
  return asks ? `the vendor's pixel, where ${code(asks[0])} asks for it` : 'a part of it'
}

function limitsOf({ maxAgeMs, clickWindowMs, batch, dedup, toTestMode, tokenRequest }: Provider): string {
  return [
    ...(maxAgeMs ? [`not older than ${durationOf(maxAgeMs)}`] : []),
    ...(clickWindowMs ? [`credits clicks of the last ${durationOf(clickWindowMs)}`] : []),
    ...(batch ? [`takes up to ${batch.maxEvents} at once`] : []),
    ...(tokenRequest ? ['asks for a token first'] : []),
    `repeats: ${dedup}`,
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

function section([id, provider]: [string, Provider]): string {
  const captures = capturesOf(provider)
  const user = Object.entries(provider.user).map(userOf).join(' · ')
  const facts: [string, string][] = [
    ['goes to', hosts[provider.host]],
    ['consent', provider.consent.join(', ')],
    ...(provider.hasBrowserModule ? [['in the page', pagePart(provider)] as [string, string]] : []),
    ['events', eventsOf(provider)],
    ['of the person', user || 'nothing'],
    ['needs', required(provider)],
    ...(captures ? [['captures', captures] as [string, string]] : []),
    [
      'limits',
      isCustomerAddress(provider.host)
        ? limitsOf(provider).replace('; simulated in the sandbox', '')
        : limitsOf(provider),
    ],
  ]
  return `## ${provider.label}

${code(id)} · ${provider.stage} · [documentation](${provider.docs})${provider.dashboardUrl ? ` · [dashboard](${provider.dashboardUrl})` : ''}

| | |
|---|---|
${rows(facts)}

| variable | type | required | where it is found |
|---|---|---|---|
${rows(Object.entries(provider.secrets).map(variableOf))}
`
}

/** The catalogue as a page: what each provider is sent, which identity it needs, which limits it has. */
export function providersPage(): string {
  const all = Object.entries(providers) as [string, Provider][]
  return `# Providers

For whoever connects a channel. After this page you know each provider's variables, events and identity needs.

Written by \`npm run docs\` from \`src/providers/\`: ${all.length} providers.

An event goes to a provider by the name after the arrow; what is not listed is not sent. Values of a person are normalised as the
vendor asks, and hashed where it says by what. "Needs" is what the person must be known by: without it the delivery is
\`skipped: identityMissing\`. Every provider is behind its consent category, the regions and the value mode of the script.

${all.map(section).join('\n')}`
}
