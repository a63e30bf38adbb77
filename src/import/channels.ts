import { isName } from '#contract/displayText.ts'
import type { Manifest } from '#contract/manifest.ts'
import type { ProviderId } from '#contract/providerIds.ts'
import type { Filter, MapRule } from '#contract/rule/channelRules.ts'
import { type RegexIssue, ruleIssues } from '#contract/rule/ruleIssues.ts'
import { allOf, anyOf, namedEvents } from './filter.ts'
import { type ImportDraft, noteOn } from './importDraft.ts'
import {
  type ChannelSummary,
  ImportError,
  type ImportedScript,
  type ImportedSecret,
  importLimits,
} from './importResult.ts'

/** A draft with merged drafts, and the name that each event gets. */
type Group = { draft: ImportDraft; targets: Map<string, string> }

/** Every event of a draft, and its name for the channel. */
const targetsOf = ({ routes, rename }: ImportDraft): [string, string][] =>
  routes.flatMap(({ names = [] }) => names.map((name): [string, string] => [name, rename.get(name) ?? name]))

/** True if the draft lists the events that it gets. */
const isNamed = ({ routes }: ImportDraft) => routes.every(({ names }) => names !== undefined)

const conflicts = (one: ReadonlyMap<string, string>, other: Iterable<[string, string]>) =>
  [...other].some(([name, value]) => (one.get(name) ?? value) !== value)

/** Drafts can share a channel only if no event would get two names, and no rename affects an event that is not listed. */
function canJoin({ draft: first, targets }: Group, draft: ImportDraft): boolean {
  const own = targetsOf(draft)
  const isRenamed = [...targets, ...own].some(([name, target]) => name !== target)
  if (isRenamed && !(isNamed(first) && isNamed(draft))) return false
  return !conflicts(targets, own) && !conflicts(first.pairs?.idOf ?? new Map(), draft.pairs?.idOf ?? [])
}

const keyOf = ({ providerId, values, consentCategory, map, sample, isActive, name, pairs }: ImportDraft) =>
  JSON.stringify([
    [providerId, name, consentCategory, sample, isActive, pairs?.variable],
    Object.entries(values).sort(),
    map,
  ])

const copyOf = (draft: ImportDraft): ImportDraft => ({
  ...draft,
  rename: new Map(draft.rename),
  ...(draft.pairs && { pairs: { variable: draft.pairs.variable, idOf: new Map(draft.pairs.idOf) } }),
})

const distinctRules = (rules: readonly MapRule[]) => [
  ...new Map(rules.map((rule) => [JSON.stringify(rule), rule])).values(),
]

function join({ draft, targets }: Group, other: ImportDraft): void {
  draft.elements = [...draft.elements, ...other.elements]
  draft.routes = [...draft.routes, ...other.routes]
  draft.personMap = distinctRules([...draft.personMap, ...other.personMap])
  for (const [name, target] of other.rename) draft.rename.set(name, target)
  for (const [name, id] of other.pairs?.idOf ?? []) draft.pairs?.idOf.set(name, id)
  for (const [name, target] of targetsOf(other)) targets.set(name, target)
}

/** Merges drafts with the same vendor, account and settings: an export usually has one tag for each event. */
function mergeDrafts(drafts: readonly ImportDraft[]): ImportDraft[] {
  const groups = new Map<string, Group[]>()
  for (const draft of drafts) {
    const key = keyOf(draft)
    const same = groups.get(key) ?? []
    const group = same.find((each) => canJoin(each, draft))
    if (group) join(group, draft)
    else groups.set(key, [...same, { draft: copyOf(draft), targets: new Map(targetsOf(draft)) }])
  }
  return [...groups.values()].flat().map(({ draft }) => draft)
}

export type ProviderFacts = NonNullable<Manifest['providers']>[number]
export type ProviderCatalogue = ReadonlyMap<string, ProviderFacts>

export const catalogueOf = ({ providers = [] }: Manifest): ProviderCatalogue =>
  new Map(providers.map((each) => [each.value ?? '', each]))

const renamed = ({ rename }: ImportDraft, names: readonly string[]) => [
  ...new Set(names.map((name) => rename.get(name) ?? name)),
]

/** Merges routes with the same filter. Rules filter after they rename, so the filter has the new names. */
function filterOf(draft: ImportDraft): Filter {
  const byFilter = Map.groupBy(draft.routes, ({ filter = {} }) => JSON.stringify(filter))
  const parts = [...byFilter.values()].map((routes) => {
    const isOpen = routes.some(({ names }) => names === undefined)
    const names = routes.flatMap((route) => route.names ?? [])
    return allOf([...(isOpen ? [] : [namedEvents(renamed(draft, names))]), routes[0]!.filter ?? {}])
  })
  return anyOf(parts)
}

/**
 * The rename table. It also drops events whose own name is given to another event, because the export did not send them.
 */
function renameOf(draft: ImportDraft): Record<string, string | null> {
  const changed = [...draft.rename].filter(([name, target]) => name !== target)
  const named = new Set(draft.routes.flatMap(({ names = [] }) => names))
  const taken = isNamed(draft) ? changed.map(([, target]) => target).filter((target) => !named.has(target)) : []
  return Object.fromEntries([...changed, ...taken.map((target): [string, null] => [target, null])])
}

/** The variables that the provider requires, using the credential set with the most known values. */
function requiredVariables(facts: ProviderFacts, values: Readonly<Record<string, string>>): string[] {
  const required = (facts.secrets ?? []).filter(({ optional }) => !optional).map(({ variable }) => variable)
  const known = (set: readonly string[]) => set.filter((variable) => values[variable]).length
  const [best = []] = [...(facts.credentialSets ?? [])].sort((one, other) => known(other) - known(one))
  return [...new Set([...required, ...best])]
}

const pairsOf = ({ pairs }: ImportDraft): Record<string, string> =>
  pairs && pairs.idOf.size > 0 ? { [pairs.variable]: JSON.stringify([...pairs.idOf]) } : {}

type SecretDeps = {
  facts: ProviderFacts
  secretsFile: string
  secrets: Record<string, string>
  valueIssue: ImportDeps['valueIssue']
}

/** The variables of a channel. Secrets and missing values become entries of the secrets file. */
function assignValues(draft: ImportDraft, name: string, { facts, secretsFile, secrets, valueIssue }: SecretDeps) {
  const values: Readonly<Record<string, string>> = { ...draft.values, ...pairsOf(draft) }
  const missing: string[] = []
  const references: Record<string, ImportedSecret> = {}
  const required = requiredVariables(facts, values)
  for (const { variable, sensitive } of facts.secrets ?? []) {
    const given = values[variable] ?? ''
    // The server would refuse the whole file.
    const value = valueIssue?.(draft.providerId, variable, given) === undefined ? given : ''
    if (value === '' && !required.includes(variable)) continue
    const key = `${name}.${variable}`
    if (value === '') missing.push(key)
    if (value === '' || sensitive) secrets[key] = value
    references[variable] = value === '' || sensitive ? { file: secretsFile, key } : value
  }
  return { references, missing }
}

/** Maximum length of a script name that leaves room for an account and a number. */
const longestName = 90
const cleanName = (text: string) =>
  [...text.slice(0, longestName)]
    .filter((sign) => sign === ' ' || isName(sign))
    .join('')
    .trim()

/** Variables that identify an account. */
const isAccount = /_(?:ID|CODE)$/

/** The vendor's name, with the account if there are several. */
function wishedName(draft: ImportDraft, isOnly: boolean, { label, secrets = [] }: ProviderFacts): string {
  const own = cleanName(draft.name ?? '')
  if (own) return own
  const vendor = label ?? draft.providerId
  const id = secrets.find(
    ({ variable, sensitive }) => !sensitive && isAccount.test(variable) && draft.values[variable],
  )?.variable
  const account = id === undefined ? '' : draft.values[id]!
  return !isOnly && /^[\w.-]{1,40}$/.test(account) ? `${vendor} ${account}` : vendor
}

/** Makes names unique: `Meta`, `Meta 2`. */
function uniqueName(wished: string, taken: Set<string>): string {
  let name = wished
  for (let n = 2; taken.has(name.toLowerCase()); n++) name = `${wished} ${n}`
  taken.add(name.toLowerCase())
  return name
}

function scriptOf(draft: ImportDraft, name: string, secrets: Record<string, ImportedSecret>): ImportedScript {
  const filter = filterOf(draft)
  const rename = renameOf(draft)
  const map = [...draft.map, ...draft.personMap]
  return {
    name,
    providerId: draft.providerId,
    ...(draft.consentCategory !== undefined && { consentCategory: draft.consentCategory }),
    ...(Object.keys(filter).length > 0 && { filter }),
    ...(Object.keys(rename).length > 0 && { rename }),
    ...(map.length > 0 && { map }),
    ...(draft.sample !== undefined && { sample: draft.sample }),
    ...(Object.keys(secrets).length > 0 && { secrets }),
  }
}

type BuiltChannels = {
  scripts: ImportedScript[]
  inactive: ImportedScript[]
  secrets: Record<string, string>
  summaries: ChannelSummary[]
}

/** The dependencies of an import. */
export type ImportDeps = {
  /** The providers of the manifest. */
  catalogue: ProviderCatalogue
  /** Returns what is wrong with an RE2 regular expression. */
  regexIssue: RegexIssue
  /** Returns what is wrong with a variable's value; absent if only the server can check it. */
  valueIssue?: (providerId: ProviderId, variable: string, value: string) => string | undefined
}

/** Adds notes to the elements of a channel: where they went, and what a person has to supply. */
function noteElements(draft: ImportDraft, name: string, missing: readonly string[], issues: readonly string[]): void {
  for (const element of draft.elements) {
    if (!element.channels.includes(name)) element.channels.push(name)
    if (element.kind === 'transformation') continue
    if (missing.length > 0) noteOn(element, 'needsValue', 'The channel needs values.', 'MISSING_VALUE')
    for (const issue of issues)
      noteOn(element, 'needsDecision', `The channel is a comment in the file: ${issue}.`, 'CONDITION_NOT_EXPRESSIBLE')
  }
}

/** Builds channels from drafts. Throws ImportError for more channels than a tag may have. */
export function buildChannels(
  drafts: readonly ImportDraft[],
  secretsFile: string,
  { catalogue, regexIssue, valueIssue }: ImportDeps,
): BuiltChannels {
  const merged = mergeDrafts(drafts)
  if (merged.length > importLimits.channels)
    throw new ImportError(
      `The export has ${merged.length} channels, but a tag can have at most ${importLimits.channels}. Remove unused ones.`,
    )
  const vendors = Map.groupBy(merged, ({ providerId }) => providerId)
  const built: BuiltChannels = { scripts: [], inactive: [], secrets: {}, summaries: [] }
  const taken = new Set<string>()
  for (const draft of merged) {
    const facts = catalogue.get(draft.providerId) ?? {}
    const name = uniqueName(wishedName(draft, vendors.get(draft.providerId)!.length === 1, facts), taken)
    const { references, missing } = assignValues(draft, name, {
      facts,
      secretsFile,
      secrets: built.secrets,
      valueIssue,
    })
    const script = scriptOf(draft, name, references)
    const issues = ruleIssues(script, regexIssue).map(({ path, message }) => `${path} ${message}`)
    const isActive = draft.isActive && issues.length === 0
    noteElements(draft, name, missing, issues)
    built[isActive ? 'scripts' : 'inactive'].push(script)
    built.summaries.push(summaryOf(draft, script, { isActive, missing }))
  }
  return built
}

function summaryOf(
  draft: ImportDraft,
  { name, providerId, secrets = {} }: ImportedScript,
  more: Pick<ChannelSummary, 'isActive' | 'missing'>,
): ChannelSummary {
  const visible = Object.entries(secrets).flatMap(([variable, value]) =>
    typeof value === 'string' ? [[variable, value] as const] : [],
  )
  const names = draft.routes.flatMap((route) => route.names ?? [])
  return {
    name,
    providerId,
    ...more,
    from: [...new Set(draft.elements.map((element) => element.name))],
    values: Object.fromEntries(visible),
    ...(isNamed(draft) && { events: renamed(draft, names) }),
  }
}
