import type { ValueChange } from '#contract/revision.ts'
import type { Script } from '#contract/script.ts'
import type { SourceName } from '#contract/sourceNames.ts'
import type { Tag } from '#contract/tag.ts'
import type { TagConfigScript, TagConfigWrite } from '#contract/tagConfig.ts'
import { issuesByField, type ProviderRow, type SealFor, sealFields } from './channelForm.ts'
import { type ChannelIssues, type MovedChannel, providerOf, savedOf, sentRowsOf } from './moveIn.ts'
import { domainOf } from './tagForm.ts'

/** The tag that receives the channels: a saved one with its channels, or a new one. */
export type MoveTarget = { tag: Tag; scripts: readonly Script[] } | { name: string; domain: string }

/** The changes to one chosen channel: the values that differ, and the labels of the secrets that are sent. */
export type PlannedChannel = {
  channel: MovedChannel
  saved: Script | undefined
  values: ValueChange[]
  sealed: string[]
}
/** What moving in would change, as `aglet plan` shows it. */
export type MovePlan = { tag: TagConfigWrite['tag']; tagValues: ValueChange[]; channels: PlannedChannel[] }

const ruleNames = ['filter', 'rename', 'map', 'sample'] as const

/** The settings of a write. Settings that the import does not have keep their saved value. */
function settingsOf({ name, script }: MovedChannel, saved: Script | undefined): Omit<TagConfigScript, 'secrets'> {
  const consentCategory = script.consentCategory ?? saved?.consentCategory
  const geoRegions = script.geoRegions === undefined ? saved?.geoRegions : script.geoRegions
  const purchaseValueMode = script.purchaseValueMode ?? saved?.purchaseValueMode
  const rules = ruleNames.flatMap((rule) => (script[rule] === undefined ? [] : [[rule, script[rule]]]))
  return {
    ...(saved && { scriptId: saved.scriptId }),
    name: name.trim(),
    providerId: script.providerId,
    ...(consentCategory && { consentCategory }),
    ...(geoRegions && { geoRegions }),
    ...(purchaseValueMode && { purchaseValueMode }),
    ...Object.fromEntries(rules),
  } as Omit<TagConfigScript, 'secrets'>
}

const comparedNames = ['consentCategory', 'geoRegions', 'purchaseValueMode', ...ruleNames] as const

const sameValue = (one: unknown, other: unknown) => JSON.stringify(one ?? null) === JSON.stringify(other ?? null)

function valuesOf(channel: MovedChannel, saved: Script | undefined, provider: ProviderRow | undefined): ValueChange[] {
  const wanted = settingsOf(channel, saved)
  // A person knows a provider by its label.
  const made = saved ? [] : [{ name: 'providerId', after: provider?.label ?? channel.script.providerId }]
  const settings = comparedNames.flatMap((name) => {
    const [before, after] = [saved?.[name], wanted[name]]
    // Settings that the import does not have stay; a promotion also unsets.
    const isKept = after === undefined && (channel.script.geoRegions !== null || name !== 'geoRegions')
    const isDefault = name === 'purchaseValueMode' && before === undefined && after === 'gross'
    if (isKept || isDefault || sameValue(after, before)) return []
    return [{ name, ...(before !== undefined && { before }), after: after ?? null }]
  })
  const visible = sentRowsOf(provider, channel, saved).flatMap(({ variable, sensitive }): ValueChange[] => {
    const before = saved?.secrets?.[variable]?.value
    const { text: after } = channel.fields[variable]!
    return sensitive ? [] : [{ name: `secrets.${variable}`, ...(before !== undefined && { before }), after }]
  })
  const isDraft: ValueChange[] = saved?.isDraft ? [{ name: 'isDraft', before: true, after: false }] : []
  return [...made, ...settings, ...visible, ...isDraft]
}

/** A saved tag keeps its sources and adds those of the import. */
function tagOf(
  target: MoveTarget,
  sources: readonly SourceName[],
  settings: NonNullable<TagConfigWrite['tag']> | undefined,
): Pick<MovePlan, 'tag' | 'tagValues'> {
  if (!('tag' in target)) {
    const own = settings ?? (sources.length > 0 ? { sources } : {})
    const tag = { name: target.name.trim(), domain: domainOf(target.domain), ...own }
    return {
      tag: tag as TagConfigWrite['tag'],
      tagValues: Object.entries(tag).map(([name, after]) => ({ name, after })),
    }
  }
  if (settings) {
    const differing = Object.entries(settings).flatMap(([name, after]) => {
      const before = target.tag[name as keyof Tag] ?? (after === 'none' ? after : undefined)
      return sameValue(before, after) ? [] : [{ name, ...(before !== undefined && { before }), after }]
    })
    const tag = Object.fromEntries(differing.map(({ name, after }) => [name, after]))
    return { tag: differing.length > 0 ? tag : undefined, tagValues: differing as ValueChange[] }
  }
  const all = [...new Set([...target.tag.sources, ...sources])]
  if (all.length === target.tag.sources.length) return { tag: undefined, tagValues: [] }
  return { tag: { sources: all }, tagValues: [{ name: 'sources', before: target.tag.sources, after: all }] }
}

/** The changes: of the tag, then of each chosen channel. */
export function planMove(
  channels: readonly MovedChannel[],
  target: MoveTarget,
  {
    sources,
    providers,
    settings,
  }: {
    sources: readonly SourceName[]
    providers: readonly ProviderRow[]
    /** The settings of a sandbox tag that is promoted. */
    settings?: NonNullable<TagConfigWrite['tag']> | undefined
  },
): MovePlan {
  const scripts = 'tag' in target ? target.scripts : []
  return {
    ...tagOf(target, sources, settings),
    channels: channels
      .filter(({ isChosen }) => isChosen)
      .map((channel) => {
        const saved = savedOf(scripts, channel)
        const provider = providerOf(providers, channel)
        const sealed = sentRowsOf(provider, channel, saved).filter(({ sensitive }) => sensitive)
        return {
          channel,
          saved,
          values: valuesOf(channel, saved, provider),
          sealed: sealed.map(({ label, variable }) => label ?? variable),
        }
      }),
  }
}

/** The channels that a plan makes or changes. */
export const isChangedIn = ({ values, sealed }: PlannedChannel) => values.length > 0 || sealed.length > 0
const changedIn = ({ channels }: MovePlan) => channels.filter(isChangedIn)
export const isNothing = (plan: MovePlan) => plan.tag === undefined && changedIn(plan).length === 0

/** The call that applies a plan, with the secrets sealed in this browser. */
export async function moveBody(
  plan: MovePlan,
  target: MoveTarget,
  providers: readonly ProviderRow[],
  sealFor: SealFor,
): Promise<TagConfigWrite> {
  const scripts = await Promise.all(
    changedIn(plan).map(async ({ channel, saved }): Promise<TagConfigScript> => {
      const provider = providerOf(providers, channel)
      const rows = sentRowsOf(provider, channel, saved)
      const secrets = provider ? await sealFields(provider, rows, channel, sealFor) : []
      return { ...settingsOf(channel, saved), ...(secrets.length > 0 && { secrets }) }
    }),
  )
  return {
    ...('tag' in target && { tagId: target.tag.tagId }),
    ...(plan.tag && { tag: plan.tag }),
    ...(scripts.length > 0 && { scripts }),
  }
}

/** The issues of a refused call by channel and field. Issues of the tag or of the whole call have an empty key. */
export function refusedFields(
  issues: readonly { path: string; message: string }[],
  plan: MovePlan,
  providers: readonly ProviderRow[],
): ChannelIssues<string> {
  const found: ChannelIssues<string> = {}
  for (const [at, { channel, saved }] of changedIn(plan).entries()) {
    const start = `scripts.${at}.`
    const own = issues
      .filter(({ path }) => path === start.slice(0, -1) || path.startsWith(start))
      .map(({ path, message }) => ({
        path: path.slice(start.length),
        message: message.replace(/^[A-Z0-9_]{1,100}: /, ''),
      }))
    const provider = providerOf(providers, channel)
    if (own.length > 0 && provider)
      found[channel.key] = issuesByField(own, sentRowsOf(provider, channel, saved), provider)
  }
  const rest = issues.filter(({ path }) => !/^scripts\.\d/.test(path))
  const ofTag = rest.map(({ path, message }) => [path.replace(/^tag\./, ''), message] as const)
  return { ...found, ...(rest.length > 0 && { '': Object.fromEntries(ofTag) }) }
}
