import type { Manifest } from '#contract/manifest.ts'
import type { EnvironmentName, SealingKey } from '#contract/me.ts'
import type { ChannelRules } from '#contract/rule/channelRules.ts'
import type { Script, ScriptPatch, ScriptWrite, SecretEntry, SecretType } from '#contract/script.ts'
import { sealEntry } from '#contract/seal.ts'

export type ProviderRow = NonNullable<Manifest['providers']>[number]
export type FieldRow = NonNullable<ProviderRow['secrets']>[number]

/** The content of a variable's field. */
export type FieldValue = {
  text: string
  /** A value that is stored on the server and not shown: nothing is sent unless it is replaced. */
  isKept: boolean
  /** When the stored value was set, epoch ms. */
  setAt?: number | undefined
  /** A sealed entry as JSON, made outside the page because it has no WebCrypto. */
  sealed?: string
}
export type ChannelDraft = {
  name: string
  consentCategory: string
  geoRegions: string
  purchaseValueMode: 'gross' | 'net'
  /** The chosen alternative of the provider's `credentialSets`; absent without alternatives. */
  credentialSet?: number
  fields: Record<string, FieldValue>
  rules: ChannelRules
}

/** The alternative for which a saved channel has every value, else the first. */
function credentialSetOf({ credentialSets }: ProviderRow, script: Script | undefined): number | undefined {
  if (!credentialSets) return undefined
  const isWhole = (variables: readonly string[]) => variables.every((variable) => script?.secrets?.[variable]?.isSet)
  return Math.max(credentialSets.findIndex(isWhole), 0)
}

/** Whether the form shows a variable: not if it belongs to an alternative that was not chosen. */
export const isAsked = ({ group }: FieldRow, { credentialSet }: Pick<ChannelDraft, 'credentialSet'>) =>
  !group || credentialSet === undefined || group.includes(credentialSet)

/** The fields of a form, and the chosen alternative. */
type FilledFields = Pick<ChannelDraft, 'credentialSet'> & { fields: Readonly<Record<string, FieldValue>> }

/** The value of a field that is sent and checked: a variable of another alternative counts as empty. */
const valueIn = (row: FieldRow, draft: FilledFields): FieldValue | undefined =>
  isAsked(row, draft) ? draft.fields[row.variable] : { text: '', isKept: false }

/** Variables that are set and not shown are kept. */
function fieldValueOf(row: FieldRow, script: Script | undefined): FieldValue {
  const state = script?.secrets?.[row.variable]
  if (state?.isSet && row.sensitive) return { text: '', isKept: true, setAt: state.setAt }
  if (state?.value !== undefined) return { text: state.value, isKept: false }
  return { text: script ? '' : (row.options?.[0]?.value ?? ''), isKept: false }
}

const ruleNames = ['filter', 'rename', 'map', 'sample'] as const

const rulesIn = (of: ChannelRules): ChannelRules =>
  Object.fromEntries(ruleNames.flatMap((name) => (of[name] === undefined ? [] : [[name, of[name]]])))

/** The form of a new channel, or of a saved one. */
export function draftOf(provider: ProviderRow, script?: Script): ChannelDraft {
  const set = credentialSetOf(provider, script)
  return {
    name: script?.name ?? provider.label ?? provider.value ?? '',
    consentCategory: script?.consentCategory ?? provider.consentCategory?.[0] ?? '',
    geoRegions: script?.geoRegions ?? '',
    purchaseValueMode: script?.purchaseValueMode ?? 'gross',
    ...(set !== undefined && { credentialSet: set }),
    fields: Object.fromEntries((provider.secrets ?? []).map((row) => [row.variable, fieldValueOf(row, script)])),
    rules: rulesIn(script ?? {}),
  }
}

/** Whether the server uses this value if none is sent: the first option of an optional variable. */
const isDefault = ({ optional, options }: FieldRow, { text }: FieldValue) =>
  optional === true && options?.[0] !== undefined && options[0].value === text

/** The variables whose value differs from the saved one, and which are therefore sent. */
export function changedFields(provider: ProviderRow, draft: ChannelDraft, script?: Script): FieldRow[] {
  const before = draftOf(provider, script).fields
  return (provider.secrets ?? []).filter((row) => {
    const { variable } = row
    const value = valueIn(row, draft)
    if (!value || value.isKept) return false
    if (value.sealed) return true
    if (!script) return value.text !== '' && !isDefault(row, value)
    return value.text !== before[variable]?.text || before[variable]?.isKept === true
  })
}

/** Whether something was changed since the form was opened. */
export function isChanged(provider: ProviderRow, draft: ChannelDraft, script?: Script): boolean {
  const { fields: _, ...before } = draftOf(provider, script)
  const { fields: __, ...now } = draft
  return changedFields(provider, draft, script).length > 0 || JSON.stringify(before) !== JSON.stringify(now)
}

/** Whether a field is required; every field of the chosen alternative is. */
export const isRequiredIn = (row: FieldRow, draft: ChannelDraft) =>
  isAsked(row, draft) && (!row.optional || (row.group !== undefined && draft.credentialSet !== undefined))

/** The missing fields: `name` or a variable. The server checks the rest. */
export function missingFields(provider: ProviderRow, draft: ChannelDraft): string[] {
  const variables = (provider.secrets ?? []).filter((row) => {
    const value = draft.fields[row.variable]
    const isRequired = isRequiredIn(row, draft) && row.inputType !== 'checkbox'
    return isRequired && value && !value.isKept && !value.text && !value.sealed
  })
  return [...(draft.name.trim() === '' ? ['name'] : []), ...variables.map(({ variable }) => variable)]
}

export type SealFor = { environment: EnvironmentName; teamId: string; key: SealingKey }

/** A sealed entry that was pasted; undefined if the text is not a sealed entry of this variable. */
export function parseSealed(text: string, variable: string): SecretEntry | undefined {
  try {
    const entry = JSON.parse(text) as SecretEntry
    return entry.variable === variable && typeof entry.data === 'string' && typeof entry.key === 'string'
      ? entry
      : undefined
  } catch {
    return undefined
  }
}

/** The variables whose pasted text is not a sealed entry of theirs. */
export const brokenFields = (provider: ProviderRow, draft: ChannelDraft): string[] =>
  (provider.secrets ?? []).flatMap((row) => {
    const sealed = valueIn(row, draft)?.sealed
    return sealed && !parseSealed(sealed, row.variable) ? [row.variable] : []
  })

/** Seals the fields in this browser. The plaintext goes nowhere else. */
export const sealFields = (
  provider: ProviderRow,
  rows: readonly FieldRow[],
  draft: FilledFields,
  { environment, teamId, key }: SealFor,
): Promise<SecretEntry[]> =>
  Promise.all(
    rows.map(async (row) => {
      const { variable, type } = row
      const { text, sealed } = valueIn(row, draft)!
      const pasted = sealed === undefined ? undefined : parseSealed(sealed, variable)
      if (pasted) return pasted
      const providerId = provider.value!
      return sealEntry({ environment, teamId, providerId, variable, type: type as SecretType, plaintext: text, key })
    }),
  )

/** The settings of the form, as a write sends them. */
const settingsOf = (provider: ProviderRow, draft: ChannelDraft) => ({
  name: draft.name.trim(),
  ...(draft.consentCategory && { consentCategory: draft.consentCategory }),
  ...(!provider.hideGeoRegions && { geoRegions: draft.geoRegions.trim() || null }),
  ...(!provider.hidePurchaseValueMode && { purchaseValueMode: draft.purchaseValueMode }),
})

/** The rules that the person changed; null for those that were removed. */
function changedRules({ rules }: ChannelDraft, script: Script | undefined): ScriptPatch {
  const before = rulesIn(script ?? {})
  const changed = ruleNames.filter((name) => JSON.stringify(rules[name]) !== JSON.stringify(before[name]))
  return Object.fromEntries(changed.map((name) => [name, rules[name] ?? null]))
}

/** The settings that the person changed: a save names and publishes only these. */
export function changedSettings(provider: ProviderRow, draft: ChannelDraft, script?: Script): ScriptPatch {
  const before: Record<string, unknown> = settingsOf(provider, draftOf(provider, script))
  const changed = Object.entries(settingsOf(provider, draft)).filter(([name, value]) => value !== before[name])
  return { ...Object.fromEntries(changed), ...changedRules(draft, script) }
}

/** The body that saves a new channel. */
export const writeBody = (
  provider: ProviderRow,
  tagId: string,
  draft: ChannelDraft,
  secrets: SecretEntry[],
  shouldDeploy: boolean,
): ScriptWrite => ({
  ...settingsOf(provider, draft),
  ...draft.rules,
  providerId: provider.value as ScriptWrite['providerId'],
  tagId,
  shouldDeploy,
  ...(secrets.length > 0 && { secrets }),
})

/**
 * The issues of a refusal by field. `secrets.2` is the third sent entry; an issue of `secrets` itself starts with the
 * name of its variable. All others have an empty name.
 */
export function issuesByField(
  issues: readonly { path: string; message: string }[],
  sent: readonly FieldRow[],
  provider: ProviderRow,
): Record<string, string> {
  const found: Record<string, string> = {}
  for (const { path, message } of issues) {
    const [first = '', index] = path.split('.')
    const named = provider.secrets?.find(({ variable }) => message.startsWith(`${variable} `))?.variable
    const field = first === 'secrets' ? (index === undefined ? named : sent[Number(index)]?.variable) : first
    const isRule = (ruleNames as readonly string[]).includes(first)
    if (isRule) found.rules ??= `${path} ${message}`
    if (isRule) continue
    const text = field !== undefined && field === named ? message.slice(named.length + 1) : message
    const isKnown =
      field !== undefined &&
      (['name', 'consentCategory', 'geoRegions', 'purchaseValueMode'].includes(field) ||
        provider.secrets?.some(({ variable }) => variable === field))
    found[isKnown ? field : ''] ??= isKnown || path === '' ? text : `${path}: ${text}`
  }
  return found
}
