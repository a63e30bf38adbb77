import type { TagEvent } from '#contract/event.ts'
import type { MapRule } from '#contract/rule/channelRules.ts'
import { userFields } from '#contract/standardKeys.ts'
import type { RuleTree } from './compileMap.ts'

/** The raw values of a person by key, which a channel receives in addition to the event. */
export type RulePerson = { readonly [key: string]: string | undefined }

/** The top-level fields of an event that hold a value of the person. */
const personFields: readonly (readonly [field: string, key: string])[] = [
  ...userFields.map(([key, field]) => [field, key] as const),
  ['ip', 'ip'],
  ['userAgent', 'userAgent'],
]

const fieldsInData: ReadonlyMap<string, string> = new Map(userFields.map(([, field]) => [`data.${field}`, field]))
const atTop = (path: string) => fieldsInData.get(path) ?? path
const sourceAtTop = (from: string) => from.trim().replace(/^\S+/, atTop)
const pathsAtTop = (template: string) => template.replace(/(?<=\{)[^{}]*(?=\})/g, atTop)

/** Replaces `data.userEmail` by `userEmail` in a rule: both are the same field of the person. */
export function withPersonAtTop(rule: MapRule): MapRule {
  if ('remove' in rule) return { remove: atTop(rule.remove) }
  const set = atTop(rule.set)
  if ('from' in rule) return { ...rule, set, from: sourceAtTop(rule.from) }
  if ('switch' in rule) return { ...rule, set, switch: atTop(rule.switch) }
  if ('template' in rule) return { ...rule, set, template: pathsAtTop(rule.template) }
  return { ...rule, set }
}

/** Whether a rule uses a top-level field of the person, and so needs the person in addition to the event. */
export const namesPerson = (rule: MapRule): boolean => {
  const text = JSON.stringify(rule)
  return personFields.some(([field]) => text.includes(field))
}

const dataOf = ({ data }: RuleTree): RuleTree => (typeof data === 'object' && data !== null ? (data as RuleTree) : {})
function without(tree: RuleTree, field: string): RuleTree {
  const { [field]: _, ...others } = tree
  return others
}

/** Adds the person's values to the event as top-level fields, including values from the profile. */
export function attachPersonFields(event: RuleTree, person: RulePerson): RuleTree {
  const data = dataOf(event)
  const values = personFields.flatMap(([field, key]) => {
    const value = event[field] ?? data[field] ?? person[key]
    return value === undefined ? [] : [[field, value] as const]
  })
  return { ...event, ...Object.fromEntries(values) }
}

/** Removes the person from a mapped event. Values that a rule changed are changed in both the person and the event. */
export function detachPersonFields(
  mapped: RuleTree,
  before: { event: TagEvent; attached: RuleTree; person: RulePerson },
): { event: RuleTree; person: RulePerson } {
  let event = mapped
  let person = before.person
  for (const [field, key] of personFields) {
    const value = mapped[field]
    const isText = typeof value === 'string'
    if (value === before.attached[field] || (value !== undefined && !isText)) {
      event = Object.hasOwn(before.event, field) ? { ...event, [field]: before.event[field] } : without(event, field)
      continue
    }
    const data = dataOf(event)
    if (Object.hasOwn(data, field)) event = { ...event, data: without(data, field) }
    person = { ...person, [key]: isText ? value : undefined }
    if (!isText) event = without(event, field)
  }
  return { event, person }
}
