import type { Script } from '#contract/script.ts'
import { TagWrite } from '#contract/tag.ts'
import type { Reference } from '../api/secrets.ts'
import type { Config, ScriptConfig, TagConfig } from './file.ts'
import type { State } from './state.ts'

type Of = { tag: string; script: string; variable: string }

const inCapitals = (...words: string[]) =>
  words
    .map((word) => word.replace(/[^A-Za-z0-9]+/g, '_').toUpperCase())
    .join('_')
    .replace(/^(?=\d)/, '_')

/** Names for an environment variable, the shortest first. */
const candidates = ({ tag, script, variable }: Of) => [
  inCapitals(variable),
  inCapitals(script, variable),
  inCapitals(tag, script, variable),
]

/** The shortest name that no other secret of the file could be meant by; numbered where all are. */
function namesFor(all: readonly Of[]): (of: Of) => string {
  const counts = new Map<string, number>()
  for (const name of all.flatMap((each) => [...new Set(candidates(each))]))
    counts.set(name, (counts.get(name) ?? 0) + 1)
  const names = new Map<Of, string>()
  for (const [at, of] of all.entries()) {
    const longest = candidates(of).at(-1)!
    names.set(of, candidates(of).find((name) => counts.get(name) === 1) ?? `${longest}_${at + 1}`)
  }
  return (of) => names.get(of)!
}

type Unread = { script: Script; tag: string; of: Of[] }

/** The variables that are set, and that nobody is shown. */
const unreadOf = (script: Script, tag: string): Unread => ({
  script,
  tag,
  of: Object.entries(script.secrets ?? {})
    .filter(([, { isSet, value }]) => isSet && value === undefined)
    .map(([variable]) => ({ tag, script: script.name, variable })),
})

function secretsOf({ script, of }: Unread, nameOf: (of: Of) => string): Record<string, Reference> {
  const shown = Object.entries(script.secrets ?? {}).flatMap(([variable, { isSet, value }]) =>
    isSet && value !== undefined ? [[variable, value] as const] : [],
  )
  const referred = of.map((each) => [each.variable, { env: nameOf(each) }] as const)
  return Object.fromEntries([...shown, ...referred])
}

function scriptConfig(unread: Unread, nameOf: (of: Of) => string): ScriptConfig {
  const { name, providerId, consentCategory, geoRegions, purchaseValueMode } = unread.script
  const secrets = secretsOf(unread, nameOf)
  return {
    name,
    providerId,
    ...(consentCategory !== undefined && { consentCategory }),
    ...(geoRegions !== undefined && { geoRegions }),
    ...(purchaseValueMode === 'net' && { purchaseValueMode }),
    ...(Object.keys(secrets).length > 0 && { secrets }),
  }
}

/** What a team has, as a file that describes it. A secret nobody is shown becomes a reference to the environment. */
export function configOf({ tags }: State): Config {
  const all = tags.map((tag) => ({ tag, unread: tag.scripts.map((script) => unreadOf(script, tag.name)) }))
  const nameOf = namesFor(all.flatMap(({ unread }) => unread.flatMap(({ of }) => of)))
  return {
    tags: all.map(({ tag, unread }) => {
      const written = Object.keys(TagWrite.properties).map((name) => [name, tag[name as keyof typeof tag]])
      const settings = Object.fromEntries(written.filter(([, value]) => value !== undefined)) as TagConfig
      return { ...settings, scripts: unread.map((each) => scriptConfig(each, nameOf)) }
    }),
  }
}
