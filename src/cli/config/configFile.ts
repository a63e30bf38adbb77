import { LineCounter, parseDocument, stringify } from 'yaml'
import { UsageError } from '#cli/operatorCall.ts'
import { AlertRuleWrite } from '#contract/alertRule.ts'
import { closestName } from '#contract/closestName.ts'
import { AlertName, ContactPointWrite } from '#contract/contactPoint.ts'
import { isRecord } from '#contract/isRecord.ts'
import { asSentence } from '#contract/issueSentence.ts'
import { ruleWriteFields } from '#contract/rule/ruleFields.ts'
import { type Issue, type Static, type TObject, Type } from '#contract/schema.ts'
import { ScriptWrite } from '#contract/script.ts'
import { TagWrite } from '#contract/tag.ts'
import { compileValidator } from '#contract/validator.ts'

const { name, providerId, consentCategory, geoRegions, purchaseValueMode } = ScriptWrite.properties
const Text = Type.String()
const ReferenceSchema = Type.Union([
  Text,
  Type.Object({ env: Text }),
  Type.Object({ file: Text, key: Type.Optional(Text) }),
])

/** A script in a configuration file: a write body without its tag, with secrets by reference. */
const ScriptConfig = Type.Object({
  name,
  providerId,
  consentCategory,
  geoRegions,
  purchaseValueMode,
  ...ruleWriteFields,
  secrets: Type.Optional(Type.Record(Text, ReferenceSchema)),
})
export type ScriptConfig = Static<typeof ScriptConfig>

const TagConfig = Type.Object({ ...TagWrite.properties, scripts: Type.Optional(Type.Array(ScriptConfig)) })
export type TagConfig = Static<typeof TagConfig>

const ContactConfig = Type.Object({
  ...ContactPointWrite.properties,
  name: AlertName,
  url: Type.Optional(ReferenceSchema),
  routingKey: Type.Optional(ReferenceSchema),
})
const { tagId: _, ...ruleFields } = AlertRuleWrite.properties
const AlertConfig = Type.Object({ ...ruleFields, name: AlertName, tag: Type.Optional(Text) })

/** The objects of a team by name, without ids, so that the same file describes either environment. */
const Config = Type.Object({
  tags: Type.Array(TagConfig),
  contactPoints: Type.Optional(Type.Array(ContactConfig)),
  alerts: Type.Optional(Type.Array(AlertConfig)),
})
export type Config = Static<typeof Config>

const checkConfig = compileValidator(Config)

const objectsIn = (value: unknown): Record<string, unknown>[] => (Array.isArray(value) ? value.filter(isRecord) : [])

/** Unknown members, which the schema accepts: a misspelt setting must be an error. */
function unknownFields(value: Record<string, unknown>, { properties }: TObject, path: string): Issue[] {
  const known = Object.keys(properties)
  const others = Object.keys(value).filter((each) => !known.includes(each))
  return others.map((other) => {
    const meant = closestName(other, known)
    return {
      path: path + other,
      message: meant ? `is not a known field: did you mean ${meant}?` : 'is not a known field',
    }
  })
}

function unknownFieldsIn(config: unknown): Issue[] {
  if (!isRecord(config)) return []
  return [
    ...unknownFields(config, Config, ''),
    ...objectsIn(config.contactPoints).flatMap((each, n) => unknownFields(each, ContactConfig, `contactPoints.${n}.`)),
    ...objectsIn(config.alerts).flatMap((each, n) => unknownFields(each, AlertConfig, `alerts.${n}.`)),
    ...objectsIn(config.tags).flatMap((tag, t) => [
      ...unknownFields(tag, TagConfig, `tags.${t}.`),
      ...objectsIn(tag.scripts).flatMap((script, s) => unknownFields(script, ScriptConfig, `tags.${t}.scripts.${s}.`)),
    ]),
  ]
}

function repeatedNames(names: readonly string[], path: (at: number) => string): Issue[] {
  return names.flatMap((each, at) =>
    names.indexOf(each) === at ? [] : [{ path: path(at), message: `repeats the name ${each}` }],
  )
}

const repeatedNamesIn = ({ tags, contactPoints = [], alerts = [] }: Config): Issue[] => [
  ...repeatedNames(
    contactPoints.map((each) => each.name),
    (n) => `contactPoints.${n}.name`,
  ),
  ...repeatedNames(
    alerts.map((each) => each.name),
    (n) => `alerts.${n}.name`,
  ),
  ...repeatedNames(
    tags.map((tag) => tag.name),
    (t) => `tags.${t}.name`,
  ),
  ...tags.flatMap(({ scripts = [] }, t) =>
    repeatedNames(
      scripts.map((script) => script.name),
      (s) => `tags.${t}.scripts.${s}.name`,
    ),
  ),
]

const issueSentence = (issues: readonly Issue[]) =>
  issues.map(({ path, message }) => `${path || 'the file'} ${message}`).join('; ')

/** Parses YAML or JSON (a subset of YAML). Throws UsageError with every issue and its path. */
export function parseConfig(text: string): Config {
  const lineCounter = new LineCounter()
  const document = parseDocument(text, { lineCounter, prettyErrors: false })
  const [syntaxError] = document.errors
  if (syntaxError)
    throw new UsageError(`Line ${lineCounter.linePos(syntaxError.pos[0]).line}: ${asSentence(syntaxError.message)}`)
  const value: unknown = document.toJS()
  const issues = [...checkConfig(value), ...unknownFieldsIn(value)]
  if (issues.length > 0) throw new UsageError(asSentence(issueSentence(issues)))
  const repeated = repeatedNamesIn(value as Config)
  if (repeated.length > 0) throw new UsageError(asSentence(issueSentence(repeated)))
  return value as Config
}

const heading = ` Tags and scripts of a team, for aglet plan and aglet apply.
 A secret is {env: NAME} or {file: path}; it is encrypted on this machine before it is sent.
`

const toYaml = (value: unknown) => stringify(value, { lineWidth: 120, aliasDuplicateObjects: false })

/** A configuration as YAML. `inactive`: scripts of its last tag that are written as a comment. */
export function formatConfig(config: Config, inactive: readonly ScriptConfig[] = []): string {
  const comment = inactive.length === 0 ? '' : toYaml(inactive).trimEnd().replace(/^/gm, '      # ')
  return `${heading.replace(/^/gm, '#').replace(/#$/, '')}\n${toYaml(config)}${comment && `${comment}\n`}`
}
