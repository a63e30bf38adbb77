import { LineCounter, parseDocument, stringify } from 'yaml'
import { nearest } from '#contract/nearest.ts'
import { check, type Issue, type Static, type TObject, Type } from '#contract/schema.ts'
import { ScriptWrite } from '#contract/script.ts'
import { TagWrite } from '#contract/tag.ts'
import { WrongUsage } from '../call.ts'

const { name, providerId, consentCategory, geoRegions, purchaseValueMode } = ScriptWrite.properties
const Text = Type.String()
const Reference = Type.Union([Text, Type.Object({ env: Text }), Type.Object({ file: Text })])

/** A script as a file describes it: a write body, its tag the one it stands under, its secrets by reference. */
const ScriptConfig = Type.Object({
  name,
  providerId,
  consentCategory,
  geoRegions,
  purchaseValueMode,
  secrets: Type.Optional(Type.Record(Text, Reference)),
})
export type ScriptConfig = Static<typeof ScriptConfig>

const TagConfig = Type.Object({ ...TagWrite.properties, scripts: Type.Optional(Type.Array(ScriptConfig)) })
export type TagConfig = Static<typeof TagConfig>

/** The tags and scripts of a team, by their names. No ids: the same file describes either environment. */
const Config = Type.Object({ tags: Type.Array(TagConfig) })
export type Config = Static<typeof Config>

const checkConfig = check(Config)

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const objectsOf = (value: unknown): Record<string, unknown>[] => (Array.isArray(value) ? value.filter(isObject) : [])

/** Names that the schema does not have, which it would let pass: a misspelt setting must not be a silent one. */
function strangers(value: Record<string, unknown>, { properties }: TObject, path: string): Issue[] {
  const known = Object.keys(properties)
  const others = Object.keys(value).filter((each) => !known.includes(each))
  return others.map((other) => {
    const meant = nearest(other, known)
    return { path: path + other, message: meant ? `is not known: did you mean ${meant}?` : 'is not known' }
  })
}

function strangersIn(config: unknown): Issue[] {
  if (!isObject(config)) return []
  return [
    ...strangers(config, Config, ''),
    ...objectsOf(config.tags).flatMap((tag, t) => [
      ...strangers(tag, TagConfig, `tags.${t}.`),
      ...objectsOf(tag.scripts).flatMap((script, s) => strangers(script, ScriptConfig, `tags.${t}.scripts.${s}.`)),
    ]),
  ]
}

function repeated(names: readonly string[], path: (at: number) => string): Issue[] {
  return names.flatMap((each, at) =>
    names.indexOf(each) === at ? [] : [{ path: path(at), message: `repeats the name ${each}` }],
  )
}

const repeats = ({ tags }: Config): Issue[] => [
  ...repeated(
    tags.map((tag) => tag.name),
    (t) => `tags.${t}.name`,
  ),
  ...tags.flatMap(({ scripts = [] }, t) =>
    repeated(
      scripts.map((script) => script.name),
      (s) => `tags.${t}.scripts.${s}.name`,
    ),
  ),
]

const told = (issues: readonly Issue[]) =>
  issues.map(({ path, message }) => `${path || 'the file'} ${message}`).join('; ')

/** Reads YAML or JSON, which is YAML too. Throws WrongUsage with everything that is wrong, and where. */
export function readConfig(text: string): Config {
  const lineCounter = new LineCounter()
  const document = parseDocument(text, { lineCounter, prettyErrors: false })
  const [broken] = document.errors
  if (broken) throw new WrongUsage(`Line ${lineCounter.linePos(broken.pos[0]).line}: ${broken.message}.`)
  const value: unknown = document.toJS()
  const issues = [...checkConfig(value), ...strangersIn(value)]
  if (issues.length > 0) throw new WrongUsage(`${told(issues)}.`)
  const again = repeats(value as Config)
  if (again.length > 0) throw new WrongUsage(`${told(again)}.`)
  return value as Config
}

const heading = ` Tags and scripts of a team, for aglet plan and aglet apply.
 A secret is {env: NAME} or {file: path}; it is sealed on this machine before it is sent.
`

/** A configuration as YAML, or as JSON where it is for a program. */
export function configText(config: Config): string {
  return `${heading.replace(/^/gm, '#').replace(/#$/, '')}\n${stringify(config, { lineWidth: 120 })}`
}
