import type { Script } from '#contract/script.ts'
import type { Tag } from '#contract/tag.ts'
import type { TagConfigWrite } from '#contract/tagConfig.ts'
import type { ImportedScript, ImportResult } from '#import/importResult.ts'
import type { ProviderRow } from './channelForm.ts'

/** A sandbox tag as production receives it: its settings and channels, and the secrets that a person must type. */
export type Promotion = {
  result: ImportResult
  settings: NonNullable<TagConfigWrite['tag']>
  name: string
  domain: string
}

/** Host names, origins and shops belong to an environment and are not promoted. */
const promotedSettings = [
  'consent',
  'gpc',
  'tcf',
  'saleOptOut',
  'sameSite',
  'serverToken',
  'hold',
  'captureBeforeConsent',
  'defaultCountry',
  'sources',
  'adapters',
  'primaryAdapter',
  'passEventId',
  'sdkVersion',
  'edgeVersion',
  'plugins',
] as const satisfies readonly (keyof Tag)[]

/** The value for a setting that the tag does not have. */
const absent: Partial<Record<keyof Tag, string>> = { defaultCountry: 'none', primaryAdapter: 'none' }

/** The secrets of the sandbox by variable: stored secrets cannot be read, so their text is empty. */
function secretsOf(script: Script, provider: ProviderRow | undefined) {
  const rows = (provider?.secrets ?? []).filter(({ variable }) => script.secrets?.[variable]?.isSet)
  return rows.map(({ variable, sensitive }) => {
    const text = sensitive ? '' : (script.secrets?.[variable]?.value ?? '')
    return { variable, key: `${script.name}.${variable}`, text, sensitive }
  })
}

function toImported(script: Script, provider: ProviderRow | undefined): ImportedScript {
  const secrets = secretsOf(script, provider).map(
    ({ variable, key, text, sensitive }) => [variable, sensitive ? { file: 'secrets.json', key } : text] as const,
  )
  const { name, providerId, consentCategory, geoRegions, purchaseValueMode, filter, rename, map, sample } = script
  const rules = { filter: filter ?? null, rename: rename ?? null, map: map ?? null, sample: sample ?? null }
  return {
    ...{ name, providerId, geoRegions: geoRegions ?? null, purchaseValueMode, ...rules },
    ...(consentCategory && { consentCategory }),
    ...(secrets.length > 0 && { secrets: Object.fromEntries(secrets) }),
  } as ImportedScript
}

/** The changes that `aglet pull` in the sandbox and `aglet apply` in production would make to this tag. */
export function promotionOf(tag: Tag, scripts: readonly Script[], providers: readonly ProviderRow[]): Promotion {
  const providerOf = ({ providerId }: Script) => providers.find(({ value }) => value === providerId)
  const { name, domain } = tag
  const settings = promotedSettings.flatMap((setting) => {
    const value = tag[setting] ?? absent[setting]
    return value === undefined ? [] : [[setting, value] as const]
  })
  const secrets = scripts.flatMap((script) =>
    secretsOf(script, providerOf(script)).flatMap(({ key, text, sensitive }) => (sensitive ? [[key, text]] : [])),
  )
  const counts = { mapped: scripts.length, needsValue: 0, needsDecision: 0, notMapped: 0 }
  return {
    ...{ name, domain },
    settings: Object.fromEntries(settings) as Promotion['settings'],
    result: {
      configuration: { tags: [{ name, domain, scripts: scripts.map((each) => toImported(each, providerOf(each))) }] },
      inactive: [],
      secrets: Object.fromEntries(secrets),
      report: { product: 'sandbox', counts, channels: [], elements: [], steps: [] },
    },
  }
}
