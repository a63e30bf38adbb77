import { type AdapterName, adapterNames } from '#contract/adapterNames.ts'
import { type SourceName, sourceNames } from '#contract/sourceNames.ts'
import type { Tag, TagUpdate } from '#contract/tag.ts'
import { tcfChoiceOf, tcfSettingsOf, tcfText } from './tcfForm.ts'

/** The settings of a tag as edited in its form. */
export type TagDraft = {
  name: string
  domain: string
  /** One origin on each line. */
  allowedOrigins: string
  consent: Tag['consent']
  gpc: boolean
  /** As `tcfText` writes it. */
  tcf: string
  saleOptOut: Tag['saleOptOut']
  /** `off`, or minutes as text. */
  hold: string
  sameSite: Tag['sameSite']
  serverToken: Tag['serverToken']
  captureBeforeConsent: Tag['captureBeforeConsent']
  /** ISO 3166-1 alpha-2; empty: none. */
  defaultCountry: string
  /** One name on each line, in the order of `sourceNames`. */
  sources: string
  /** One name on each line, in the order of `adapterNames`. */
  adapters: string
  /** The name of an adapter, or `none`. */
  primaryAdapter: string
  passEventId: boolean
  sdkVersion: string
  edgeVersion: string
}

const sourcesText = (names: readonly string[]) => sourceNames.filter((name) => names.includes(name)).join('\n')

/** The sources of a draft with one of them switched on or off. */
export const switchSource = (sources: string, name: SourceName, isOn: boolean): string =>
  sourcesText([...linesOf(sources).filter((each) => each !== name), ...(isOn ? [name] : [])])

const adaptersText = (names: readonly string[]) => adapterNames.filter((name) => names.includes(name)).join('\n')

/** The adapters of a draft with one of them switched on or off. An adapter that is off cannot be the primary one. */
export const switchAdapter = (
  { adapters, primaryAdapter }: Pick<TagDraft, 'adapters' | 'primaryAdapter'>,
  name: AdapterName,
  isOn: boolean,
) => ({
  adapters: adaptersText([...linesOf(adapters).filter((each) => each !== name), ...(isOn ? [name] : [])]),
  primaryAdapter: !isOn && primaryAdapter === name ? 'none' : primaryAdapter,
})

export const tagDraftOf = (tag: Tag): TagDraft => ({
  name: tag.name,
  domain: tag.domain,
  allowedOrigins: tag.allowedOrigins.join('\n'),
  consent: tag.consent,
  gpc: tag.gpc,
  tcf: tcfText(tcfChoiceOf(tag.tcf)),
  saleOptOut: tag.saleOptOut,
  hold: `${tag.hold}`,
  sameSite: tag.sameSite,
  serverToken: tag.serverToken,
  captureBeforeConsent: tag.captureBeforeConsent,
  defaultCountry: tag.defaultCountry ?? '',
  sources: sourcesText(tag.sources),
  adapters: adaptersText(tag.adapters),
  primaryAdapter: tag.primaryAdapter ?? 'none',
  passEventId: tag.passEventId,
  sdkVersion: tag.sdkVersion,
  edgeVersion: tag.edgeVersion,
})

/** The lines of a text, without blank lines and duplicates. */
export const linesOf = (text: string): string[] => [
  ...new Set(
    text
      .split('\n')
      .map((line) => line.trim())
      .filter(Boolean),
  ),
]

/** The host name of a text; of a pasted URL, its host. */
export function domainOf(text: string): string {
  const trimmed = text.trim()
  const address = trimmed.includes('://') ? trimmed : `https://${trimmed}`
  if (!/[/:?#]/.test(trimmed) || !URL.canParse(address)) return trimmed
  return new URL(address).hostname
}

/** The origin of a text; of a pasted URL, its origin. A bare host name means https. */
export function originOf(text: string): string {
  const address = text.includes('://') ? text : `https://${text}`
  return URL.canParse(address) && new URL(address).origin !== 'null' ? new URL(address).origin : text
}

const settingOf = (draft: TagDraft, name: keyof TagDraft): TagUpdate[keyof TagUpdate] => {
  if (name === 'allowedOrigins') return linesOf(linesOf(draft[name]).map(originOf).join('\n'))
  if (name === 'sources' || name === 'adapters') return linesOf(draft[name])
  if (name === 'tcf') return tcfSettingsOf(draft.tcf)
  if (name === 'domain') return domainOf(draft.domain)
  if (name === 'hold') return draft.hold === 'off' ? 'off' : Number(draft.hold)
  if (name === 'defaultCountry') return draft.defaultCountry.trim().toUpperCase() || 'none'
  const value = draft[name]
  return typeof value === 'string' ? value.trim() : value
}

/** The names of the settings that differ from the saved ones. */
export const changedSettings = (draft: TagDraft, tag: Tag): (keyof TagDraft)[] => {
  const before = tagDraftOf(tag)
  return (Object.keys(draft) as (keyof TagDraft)[]).filter(
    (name) => JSON.stringify(settingOf(draft, name)) !== JSON.stringify(settingOf(before, name)),
  )
}

/** The body of a save: only the changed settings, so that concurrent changes of others are kept. */
export const tagUpdateOf = (draft: TagDraft, tag: Tag): TagUpdate =>
  Object.fromEntries(changedSettings(draft, tag).map((name) => [name, settingOf(draft, name)]))
