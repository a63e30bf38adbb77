import type { Script } from '#contract/script.ts'
import type { SourceName } from '#contract/sourceNames.ts'
import type { ImportedScript, ImportResult } from '#import/importResult.ts'
import { type FieldRow, type FieldValue, type ProviderRow, parseSealed } from './channelForm.ts'
import { domainOf } from './tagForm.ts'

/** A channel of an import, as edited before it is moved in. */
export type MovedChannel = {
  /** The name that the import gave it. It does not change when the person edits the name. */
  key: string
  name: string
  /** Whether it is moved in. A channel that was off in the other product is not, unless the person chooses it. */
  isChosen: boolean
  script: ImportedScript
  fields: Readonly<Record<string, FieldValue>>
  /** The value of each field after the import. */
  given: Readonly<Record<string, string>>
}

/** What is wrong with a field of a channel; `name` is also a field. */
export type MoveIssue = 'missing' | 'broken' | 'otherProvider' | 'repeated'
/** By channel key and field name. */
export type ChannelIssues<Issue> = Record<string, Record<string, Issue>>

export const providerOf = (providers: readonly ProviderRow[], { script }: Pick<MovedChannel, 'script'>) =>
  providers.find(({ value }) => value === script.providerId)

const textOf = (reference: NonNullable<ImportedScript['secrets']>[string], secrets: ImportResult['secrets']) =>
  typeof reference === 'string' ? reference : (secrets[reference.key] ?? '')

const channelOf = (script: ImportedScript, isChosen: boolean, secrets: ImportResult['secrets']): MovedChannel => {
  const given = Object.fromEntries(
    Object.entries(script.secrets ?? {}).map(([variable, reference]) => [variable, textOf(reference, secrets)]),
  )
  const fields = Object.fromEntries(
    Object.entries(given).map(([variable, text]) => [variable, { text, isKept: false }]),
  )
  return { key: script.name, name: script.name, isChosen, script, fields, given }
}

/** The channels of an import; those that were off in the other product come last. */
export const channelsOf = ({ configuration, inactive, secrets }: ImportResult): MovedChannel[] => [
  ...configuration.tags[0].scripts.map((script) => channelOf(script, true, secrets)),
  ...inactive.map((script) => channelOf(script, false, secrets)),
]

/** The variables that the import names for a channel, in the order of the provider. */
export const fieldRowsOf = (provider: ProviderRow | undefined, { fields }: MovedChannel): FieldRow[] =>
  (provider?.secrets ?? []).filter(({ variable }) => variable in fields)

/** The import names an empty variable only if the channel needs it. */
export const isRequired = ({ optional, variable }: FieldRow, { given }: MovedChannel) =>
  !optional || given[variable] === ''

const isEmpty = ({ text, sealed }: FieldValue) => text.trim() === '' && !sealed

/** Whether a field is sent: a secret that the channel already has is kept unless the person typed a new one. */
function isSent({ variable, sensitive }: FieldRow, { fields, given }: MovedChannel, now: Script | undefined): boolean {
  const value = fields[variable]!
  const state = now?.secrets?.[variable]
  if (isEmpty(value)) return false
  if (value.sealed || !state?.isSet) return true
  return sensitive ? value.text !== given[variable] : value.text !== state.value
}

export const sentRowsOf = (
  provider: ProviderRow | undefined,
  channel: MovedChannel,
  now: Script | undefined,
): FieldRow[] => fieldRowsOf(provider, channel).filter((row) => isSent(row, channel, now))

/** The saved channel that a moved one changes. */
export const savedOf = (scripts: readonly Script[], { name }: Pick<MovedChannel, 'name'>) =>
  scripts.find((each) => each.name === name.trim())

type IssueDeps = { providers: readonly ProviderRow[]; scripts: readonly Script[] }

function issuesOfChannel(
  channel: MovedChannel,
  chosen: readonly MovedChannel[],
  { providers, scripts }: IssueDeps,
): [string, MoveIssue][] {
  const name = channel.name.trim()
  const now = savedOf(scripts, channel)
  const ofName: MoveIssue | undefined =
    name === ''
      ? 'missing'
      : now && now.providerId !== channel.script.providerId
        ? 'otherProvider'
        : chosen.find((each) => each.name.trim() === name) !== channel
          ? 'repeated'
          : undefined
  const ofFields = fieldRowsOf(providerOf(providers, channel), channel).flatMap((row): [string, MoveIssue][] => {
    const value = channel.fields[row.variable]!
    if (value.sealed && !parseSealed(value.sealed, row.variable)) return [[row.variable, 'broken']]
    const isMissing =
      isEmpty(value) && isRequired(row, channel) && row.inputType !== 'checkbox' && !now?.secrets?.[row.variable]?.isSet
    return isMissing ? [[row.variable, 'missing']] : []
  })
  return [...(ofName ? [['name', ofName] as [string, MoveIssue]] : []), ...ofFields]
}

/** What must be fixed before the chosen channels can be planned. The server checks the rest. */
export function moveIssues(channels: readonly MovedChannel[], deps: IssueDeps): ChannelIssues<MoveIssue> {
  const chosen = channels.filter(({ isChosen }) => isChosen)
  const found = chosen.map((channel) => [channel.key, issuesOfChannel(channel, chosen, deps)] as const)
  return Object.fromEntries(
    found.flatMap(([key, issues]) => (issues.length > 0 ? [[key, Object.fromEntries(issues)]] : [])),
  )
}

/** The files of `aglet plan` for the chosen channels: the configuration, and the secrets that it refers to. */
export function filesOf(
  channels: readonly MovedChannel[],
  tag: { name: string; domain: string; sources: readonly SourceName[] },
  providers: readonly ProviderRow[],
) {
  const secrets: Record<string, string> = {}
  const scripts = channels
    .filter(({ isChosen }) => isChosen)
    .map((channel) => {
      const name = channel.name.trim()
      const rows = fieldRowsOf(providerOf(providers, channel), channel)
      const named = rows.filter((row) => isRequired(row, channel) || channel.fields[row.variable]!.text !== '')
      const references = named.map(({ variable, sensitive }) => {
        const { text } = channel.fields[variable]!
        if (text !== '' && !sensitive) return [variable, text] as const
        const key = `${name}.${variable}`
        secrets[key] = text
        return [variable, { file: 'secrets.json', key }] as const
      })
      return { ...channel.script, name, ...(references.length > 0 && { secrets: Object.fromEntries(references) }) }
    })
  const { sources } = tag
  const own = { name: tag.name.trim(), domain: domainOf(tag.domain), ...(sources.length > 0 && { sources }) }
  return { configuration: { tags: [{ ...own, scripts }] }, secrets }
}
