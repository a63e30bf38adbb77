import type { SecretReference } from '#cli/api/secretReferences.ts'
import { channelRulesOf } from '#contract/rule/channelRules.ts'
import type { Script } from '#contract/script.ts'
import { TagWrite } from '#contract/tag.ts'
import type { Config, ScriptConfig, TagConfig } from './configFile.ts'
import type { TeamState } from './teamState.ts'

type SecretLocation = { tag: string; script: string; variable: string }

const toVariableName = (...words: string[]) =>
  words
    .map((word) => word.replace(/[^A-Za-z0-9]+/g, '_').toUpperCase())
    .join('_')
    .replace(/^(?=\d)/, '_')

/** Names for an environment variable, the shortest first. */
const candidateNames = ({ tag, script, variable }: SecretLocation) => [
  toVariableName(variable),
  toVariableName(script, variable),
  toVariableName(tag, script, variable),
]

/** Gives each secret its shortest unique name; a number is appended when no candidate is unique. */
function assignNames(all: readonly SecretLocation[]): (location: SecretLocation) => string {
  const counts = new Map<string, number>()
  for (const name of all.flatMap((each) => [...new Set(candidateNames(each))]))
    counts.set(name, (counts.get(name) ?? 0) + 1)
  const names = new Map<SecretLocation, string>()
  for (const [at, location] of all.entries()) {
    const longest = candidateNames(location).at(-1)!
    names.set(location, candidateNames(location).find((name) => counts.get(name) === 1) ?? `${longest}_${at + 1}`)
  }
  return (location) => names.get(location)!
}

type HiddenSecrets = { script: Script; tag: string; locations: SecretLocation[] }

/** The variables of a script that are set but whose values the API does not return. */
const findHiddenSecrets = (script: Script, tag: string): HiddenSecrets => ({
  script,
  tag,
  locations: Object.entries(script.secrets ?? {})
    .filter(([, { isSet, value }]) => isSet && value === undefined)
    .map(([variable]) => ({ tag, script: script.name, variable })),
})

function exportSecrets(
  { script, locations }: HiddenSecrets,
  nameOf: (location: SecretLocation) => string,
): Record<string, SecretReference> {
  const shown = Object.entries(script.secrets ?? {}).flatMap(([variable, { isSet, value }]) =>
    isSet && value !== undefined ? [[variable, value] as const] : [],
  )
  const referred = locations.map((each) => [each.variable, { env: nameOf(each) }] as const)
  return Object.fromEntries([...shown, ...referred])
}

function exportScript(hidden: HiddenSecrets, nameOf: (location: SecretLocation) => string): ScriptConfig {
  const { name, providerId, consentCategory, geoRegions, purchaseValueMode } = hidden.script
  const secrets = exportSecrets(hidden, nameOf)
  return {
    name,
    providerId,
    ...(consentCategory !== undefined && { consentCategory }),
    ...(geoRegions !== undefined && { geoRegions }),
    ...(purchaseValueMode === 'net' && { purchaseValueMode }),
    ...channelRulesOf(hidden.script),
    ...(Object.keys(secrets).length > 0 && { secrets }),
  }
}

/** The configuration of a team. A hidden secret becomes a reference to an environment variable. */
export function exportConfig({ tags }: TeamState): Config {
  const all = tags.map((tag) => ({ tag, hidden: tag.scripts.map((script) => findHiddenSecrets(script, tag.name)) }))
  const nameOf = assignNames(all.flatMap(({ hidden }) => hidden.flatMap(({ locations }) => locations)))
  return {
    tags: all.map(({ tag, hidden }) => {
      const entries = Object.keys(TagWrite.properties).map((name) => [name, tag[name as keyof typeof tag]])
      const settings = Object.fromEntries(entries.filter(([, value]) => value !== undefined)) as TagConfig
      return { ...settings, scripts: hidden.map((each) => exportScript(each, nameOf)) }
    }),
  }
}
