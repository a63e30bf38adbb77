import { type ChannelRulesWrite, type RuleName, ruleNames } from '#contract/rule/channelRules.ts'
import type { Issue } from '#contract/schema.ts'
import type { Script, ScriptWrite } from '#contract/script.ts'
import { type Tag, TagUpdate } from '#contract/tag.ts'
import type { Config, ScriptConfig, TagConfig } from './configFile.ts'
import {
  type Difference,
  planSecrets,
  type SecretAssignment,
  type SecretPlanDeps,
  type SecretPlanOptions,
} from './secretPlan.ts'
import type { TeamState } from './teamState.ts'

type ChangeTarget = { tag: string; differences: Difference[] }
type TagChange = ChangeTarget & { tagId?: string; body: Omit<TagConfig, 'scripts'> }
type ScriptWriteChange = ChangeTarget & {
  script: string
  scriptId?: string
  tagId?: string
  body: Omit<ScriptWrite, 'tagId' | 'secrets'>
  secrets: SecretAssignment[]
}
type Removal = ChangeTarget & { script: string; scriptId: string; tagId: string }

/** One change that brings the team closer to the file. The changes of a tag are one API call. */
export type ConfigChange =
  | ({ does: 'createTag' | 'updateTag' } & TagChange)
  | ({ does: 'createScript' | 'updateScript' } & ScriptWriteChange)
  | ({ does: 'deleteScript' } & Removal)

/** The changes in order; the tags and scripts outside the file, which stay; and the errors of the file. */
export type ConfigPlan = { changes: ConfigChange[]; others: { tag: string; script?: string }[]; issues: Issue[] }

/** `prune`: deletes scripts that the file's tags do not name. `draft`: scripts may stay drafts. */
export type PlanOptions = SecretPlanOptions & { prune?: boolean; draft?: boolean }

/** Normalizes letter case and spaces as the server does, and the order of sets. */
function normalize(field: string, value: unknown): unknown {
  if (value === undefined || value === null) return null
  if (field === 'domain') return String(value).toLowerCase()
  // the API omits the field instead of returning `none`
  if (/^(defaultCountry|primaryAdapter)$/.test(field) && value === 'none') return null
  const isSet = Array.isArray(value) && value.every((each) => typeof each === 'string')
  if (isSet) return value.map((each: string) => each.toLowerCase()).sort()
  return typeof value === 'string' ? value.trim() : value
}

const isSame = (field: string, one: unknown, other: unknown) =>
  JSON.stringify(normalize(field, one)) === JSON.stringify(normalize(field, other))

const tagFields = Object.keys(TagUpdate.properties).filter((name) => name !== 'name')

/** The fields that the file sets to another value. Fields that it omits stay unchanged. */
function tagDifferences(config: TagConfig, now: Tag | undefined): Difference[] {
  const [wanted, current] = [config, now ?? {}] as Record<string, unknown>[]
  return tagFields
    .filter((field) => wanted![field] != null && !isSame(field, wanted![field], current![field]))
    .map((field) => ({ field, from: current![field], to: wanted![field] }))
}

function planTag({ scripts: _, ...body }: TagConfig, now: Tag | undefined): ConfigChange[] {
  const differences = tagDifferences(body, now)
  if (!now) return [{ does: 'createTag', tag: body.name, body, differences }]
  return differences.length > 0 ? [{ does: 'updateTag', tag: body.name, tagId: now.tagId, body, differences }] : []
}

/** Blank strings count as unset, and an unset mode is gross (Control API: read, write). */
const comparedSettings = ({ consentCategory, geoRegions, purchaseValueMode }: Partial<ScriptConfig | Script>) => ({
  consentCategory: consentCategory || undefined,
  geoRegions: geoRegions || undefined,
  purchaseValueMode: purchaseValueMode ?? 'gross',
})

function settingDifferences(config: ScriptConfig, now: Script | undefined): Difference[] {
  const [wanted, current] = [comparedSettings(config), comparedSettings(now ?? {})]
  return (Object.keys(wanted) as (keyof typeof wanted)[])
    .filter((field) => !isSame(field, wanted[field], current[field]))
    .map((field) => ({ field, from: current[field], to: wanted[field] }))
}

/** The rules in the file; null removes one. A rule that the file omits stays, as in a write. */
const namedRules = (config: ScriptConfig): ChannelRulesWrite =>
  Object.fromEntries(ruleNames.flatMap((name) => (config[name] === undefined ? [] : [[name, config[name]]])))

const ruleDifferences = (config: ScriptConfig, now: Script | undefined): Difference[] =>
  Object.entries(namedRules(config)).flatMap(([field, to]) => {
    const from = now?.[field as RuleName]
    return JSON.stringify(to ?? null) === JSON.stringify(from ?? null) ? [] : [{ field, from, to: to ?? undefined }]
  })

/** Scripts of the file must be live: a saved script that is not deployed is a difference. */
const draftDifferences = (now: Script | undefined, { draft }: PlanOptions): Difference[] =>
  now?.isDraft && !draft ? [{ field: 'isDraft', from: true, to: false }] : []

type ScriptPlanDeps = SecretPlanDeps & { options: PlanOptions }
type ParentTag = { tag: string; tagId: string | undefined }

function planScript(
  config: ScriptConfig,
  now: Script | undefined,
  parent: ParentTag,
  deps: ScriptPlanDeps,
): Partial<ConfigPlan> {
  if (now && now.providerId !== config.providerId) {
    const message = `is ${now.providerId} on the server and cannot be changed: give this script another name`
    return { issues: [{ path: `${deps.path}.providerId`, message }] }
  }
  const { assigned, differences: secretDifferences, issues } = planSecrets(config, now, deps)
  const differences = [
    ...settingDifferences(config, now),
    ...ruleDifferences(config, now),
    ...secretDifferences,
    ...draftDifferences(now, deps.options),
  ]
  if (now && differences.length === 0) return { issues }
  const { name, providerId } = config
  const change = {
    does: now ? ('updateScript' as const) : ('createScript' as const),
    tag: parent.tag,
    script: name,
    ...(parent.tagId !== undefined && { tagId: parent.tagId }),
    ...(now && { scriptId: now.scriptId }),
    body: { name, providerId, ...comparedSettings(config), ...namedRules(config) } as Omit<
      ScriptWrite,
      'tagId' | 'secrets'
    >,
    secrets: assigned,
    differences: now ? differences : [{ field: 'providerId', to: providerId }, ...differences],
  }
  return { changes: [change], issues }
}

const scriptRemoval = ({ tag, tagId }: { tag: string; tagId: string }, script: Script): ConfigChange => ({
  does: 'deleteScript',
  tag,
  tagId,
  script: script.name,
  scriptId: script.scriptId,
  differences: [{ field: 'providerId', from: script.providerId }],
})

type CurrentTag = TeamState['tags'][number]

function planTagWithScripts(
  config: TagConfig,
  now: CurrentTag | undefined,
  { catalogue, options, path }: ScriptPlanDeps,
): ConfigPlan {
  const scripts = config.scripts ?? []
  const parent = { tag: config.name, tagId: now?.tagId }
  const unnamed = (now?.scripts ?? []).filter(({ name }) => !scripts.some((script) => script.name === name))
  const tag = now && { tag: config.name, tagId: now.tagId }
  const removals = options.prune && tag ? unnamed.map((script) => scriptRemoval(tag, script)) : []
  const plans = scripts.map((script, at) => {
    const currentScript = now?.scripts.find(({ name }) => name === script.name)
    return planScript(script, currentScript, parent, { catalogue, options, path: `${path}.scripts.${at}` })
  })
  return {
    // Removals come first, because creations may need a freed name or a free place within the script limit.
    changes: [...planTag(config, now), ...removals, ...plans.flatMap(({ changes = [] }) => changes)],
    others: options.prune ? [] : unnamed.map(({ name }) => ({ tag: config.name, script: name })),
    issues: plans.flatMap(({ issues = [] }) => issues),
  }
}

/** The changes that make the team match the file. Reads the file's secret references; makes no API call. */
export function planConfig(config: Config, state: TeamState, options: PlanOptions): ConfigPlan {
  const plans = config.tags.map((tag, at) => {
    const now = state.tags.find(({ name }) => name === tag.name)
    return planTagWithScripts(tag, now, { catalogue: state.catalogue, options, path: `tags.${at}` })
  })
  const unnamed = state.tags.filter(({ name }) => !config.tags.some((tag) => tag.name === name))
  return {
    changes: plans.flatMap(({ changes }) => changes),
    others: [...plans.flatMap(({ others }) => others), ...unnamed.map(({ name }) => ({ tag: name }))],
    issues: plans.flatMap(({ issues }) => issues),
  }
}
