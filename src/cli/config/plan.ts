import type { Issue } from '#contract/schema.ts'
import type { Script, ScriptWrite } from '#contract/script.ts'
import { type Tag, TagUpdate } from '#contract/tag.ts'
import type { Config, ScriptConfig, TagConfig } from './file.ts'
import { type Assigned, type Difference, planSecrets, type SecretOptions, type SecretWorld } from './secrets.ts'
import type { State } from './state.ts'

type Of = { tag: string; differences: Difference[] }
type TagChange = Of & { tagId?: string; body: Omit<TagConfig, 'scripts'> }
type ScriptChange = Of & {
  script: string
  scriptId?: string
  tagId?: string
  body: Omit<ScriptWrite, 'tagId' | 'secrets'>
  secrets: Assigned[]
}
type Removal = Of & { script: string; scriptId: string }

/** One call that makes what is there more like the file. */
export type Change =
  | ({ does: 'createTag' | 'updateTag' } & TagChange)
  | ({ does: 'createScript' | 'updateScript' } & ScriptChange)
  | ({ does: 'deleteScript' } & Removal)

/** What has to be done, in order; what is there and not in the file, and stays; what cannot be. */
export type Plan = { changes: Change[]; others: { tag: string; script?: string }[]; issues: Issue[] }

/** `prune`: scripts of the file's tags that it does not name go. `draft`: scripts may stay drafts. */
export type PlanOptions = SecretOptions & { prune?: boolean; draft?: boolean }

/** Spelling that the server does not keep, and order that has no meaning. */
function normal(field: string, value: unknown): unknown {
  if (value === undefined || value === null) return null
  if (field === 'domain') return String(value).toLowerCase()
  const isSet = Array.isArray(value) && value.every((each) => typeof each === 'string')
  if (isSet) return value.map((each: string) => each.toLowerCase()).sort()
  return typeof value === 'string' ? value.trim() : value
}

const isSame = (field: string, one: unknown, other: unknown) =>
  JSON.stringify(normal(field, one)) === JSON.stringify(normal(field, other))

const tagFields = Object.keys(TagUpdate.properties).filter((name) => name !== 'name')

/** What the file lists of a tag and is otherwise there. What it leaves out is kept as it is. */
function tagDifferences(config: TagConfig, now: Tag | undefined): Difference[] {
  const [wanted, kept] = [config, now ?? {}] as Record<string, unknown>[]
  return tagFields
    .filter((field) => wanted![field] != null && !isSame(field, wanted![field], kept![field]))
    .map((field) => ({ field, from: kept![field], to: wanted![field] }))
}

function planTag({ scripts: _, ...body }: TagConfig, now: Tag | undefined): Change[] {
  const differences = tagDifferences(body, now)
  if (!now) return [{ does: 'createTag', tag: body.name, body, differences }]
  return differences.length > 0 ? [{ does: 'updateTag', tag: body.name, tagId: now.tagId, body, differences }] : []
}

/** Unset strings are unset, and an unset mode is gross (Control API: read, write). */
const settingsOf = ({ consentCategory, geoRegions, purchaseValueMode }: Partial<ScriptConfig | Script>) => ({
  consentCategory: consentCategory || undefined,
  geoRegions: geoRegions || undefined,
  purchaseValueMode: purchaseValueMode ?? 'gross',
})

function settingDifferences(config: ScriptConfig, now: Script | undefined): Difference[] {
  const [wanted, kept] = [settingsOf(config), settingsOf(now ?? {})]
  return (Object.keys(wanted) as (keyof typeof wanted)[])
    .filter((field) => !isSame(field, wanted[field], kept[field]))
    .map((field) => ({ field, from: kept[field], to: wanted[field] }))
}

/** What the file describes is to be live: a script that was saved and not deployed is a difference. */
const draftDifferences = (now: Script | undefined, { draft }: PlanOptions): Difference[] =>
  now?.isDraft && !draft ? [{ field: 'isDraft', from: true, to: false }] : []

type PlanWorld = SecretWorld & { options: PlanOptions }
type Under = { tag: string; tagId: string | undefined }

function planScript(config: ScriptConfig, now: Script | undefined, under: Under, on: PlanWorld): Partial<Plan> {
  if (now && now.providerId !== config.providerId) {
    const message = `is ${now.providerId} there: a script keeps its provider; give this one another name`
    return { issues: [{ path: `${on.path}.providerId`, message }] }
  }
  const { assigned, differences: ofSecrets, issues } = planSecrets(config, now, on)
  const differences = [...settingDifferences(config, now), ...ofSecrets, ...draftDifferences(now, on.options)]
  if (now && differences.length === 0) return { issues }
  const { name, providerId } = config
  const change = {
    does: now ? ('updateScript' as const) : ('createScript' as const),
    tag: under.tag,
    script: name,
    ...(under.tagId !== undefined && { tagId: under.tagId }),
    ...(now && { scriptId: now.scriptId }),
    body: { name, providerId, ...settingsOf(config) } as Omit<ScriptWrite, 'tagId' | 'secrets'>,
    secrets: assigned,
    differences: now ? differences : [{ field: 'providerId', to: providerId }, ...differences],
  }
  return { changes: [change], issues }
}

const removal = (tag: string, { name, scriptId, providerId }: Script): Change => ({
  does: 'deleteScript',
  tag,
  script: name,
  scriptId,
  differences: [{ field: 'providerId', from: providerId }],
})

type Kept = State['tags'][number]

function planTagWhole(config: TagConfig, now: Kept | undefined, on: PlanWorld): Plan {
  const scripts = config.scripts ?? []
  const under = { tag: config.name, tagId: now?.tagId }
  const unnamed = (now?.scripts ?? []).filter(({ name }) => !scripts.some((script) => script.name === name))
  const removals = on.options.prune ? unnamed.map((script) => removal(config.name, script)) : []
  const plans = scripts.map((script, at) => {
    const kept = now?.scripts.find(({ name }) => name === script.name)
    return planScript(script, kept, under, { ...on, path: `${on.path}.scripts.${at}` })
  })
  return {
    // What goes, goes first: it may be in the way of what comes.
    changes: [...planTag(config, now), ...removals, ...plans.flatMap(({ changes = [] }) => changes)],
    others: on.options.prune ? [] : unnamed.map(({ name }) => ({ tag: config.name, script: name })),
    issues: plans.flatMap(({ issues = [] }) => issues),
  }
}

/** What has to be done so that the team has what the file describes. Reads what the file refers to, asks nobody. */
export function planOf(config: Config, state: State, options: PlanOptions): Plan {
  const plans = config.tags.map((tag, at) => {
    const now = state.tags.find(({ name }) => name === tag.name)
    return planTagWhole(tag, now, { catalogue: state.catalogue, options, path: `tags.${at}` })
  })
  const unnamed = state.tags.filter(({ name }) => !config.tags.some((tag) => tag.name === name))
  return {
    changes: plans.flatMap(({ changes }) => changes),
    others: [...plans.flatMap(({ others }) => others), ...unnamed.map(({ name }) => ({ tag: name }))],
    issues: plans.flatMap(({ issues }) => issues),
  }
}
