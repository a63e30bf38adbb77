import type { ChannelRules, Condition, Filter, MapRule, RuleValue } from '#contract/rule/channelRules.ts'

/** One condition of a filter as a row of the builder: `data.value`, `$gte`, `10`. */
export type ConditionRow = { field: string; operator: string; text: string }

export const ruleOperators = [
  '$eq',
  '$neq',
  '$gt',
  '$gte',
  '$lt',
  '$lte',
  '$in',
  '$nin',
  '$startsWith',
  '$endsWith',
  '$contains',
  '$regex',
  '$exist',
] as const
const listOperators = ['$in', '$nin']

/** A value as typed: text that JSON would read as a number, true, false or null is quoted. */
export const valueText = (value: RuleValue): string =>
  typeof value === 'string' && textValue(value) === value ? value : JSON.stringify(value)

/** `10`, `true` and `null` are JSON values; everything else is text, quoted or not. */
export function textValue(text: string): RuleValue {
  try {
    const value: unknown = JSON.parse(text.trim())
    return typeof value === 'object' && value !== null ? text : (value as RuleValue)
  } catch {
    return text
  }
}

const isValue = (condition: Condition): condition is RuleValue => typeof condition !== 'object' || condition === null

/** Conditions on one element of a list: separate rows could match different elements. */
const isOfElement = (condition: Filter, field: string) =>
  field.includes('.') &&
  Object.keys(condition).length > 1 &&
  Object.keys(condition).some((name) => !name.startsWith('$'))

/** The rows of a condition; undefined for each part that a row cannot show. */
function* rowsOf(condition: Condition, field: string): Generator<ConditionRow | undefined> {
  if (isValue(condition)) return yield { field, operator: '$eq', text: valueText(condition) }
  if (Array.isArray(condition) || isOfElement(condition as Filter, field)) return yield undefined
  for (const [name, each] of Object.entries(condition as Filter)) {
    if (name === '$and' && field === '' && Array.isArray(each)) for (const one of each) yield* rowsOf(one, '')
    else if (!name.startsWith('$')) yield* rowsOf(each, field === '' ? name : `${field}.${name}`)
    else if (listOperators.includes(name) && Array.isArray(each) && each.every(isValue))
      yield { field, operator: name, text: each.map((one) => valueText(one as RuleValue)).join(', ') }
    else if ((ruleOperators as readonly string[]).includes(name) && isValue(each))
      yield { field, operator: name, text: valueText(each) }
    else yield undefined
  }
}

/** The rows of a filter; undefined if it has alternatives, or several conditions on one element of a list. */
export function filterRows(filter: Filter | undefined): ConditionRow[] | undefined {
  const rows = [...rowsOf(filter ?? {}, '')]
  return rows.every((row) => row !== undefined) ? rows : undefined
}

const splitList = (text: string): RuleValue[] =>
  text
    .split(',')
    .map((each) => each.trim())
    .filter(Boolean)
    .map(textValue)

function operandOf({ operator, text }: ConditionRow): Condition {
  if (operator === '$exist') return text !== 'false'
  if (listOperators.includes(operator)) return splitList(text)
  return textValue(text)
}

/** The filter of these rows; undefined without rows. A second condition of the same kind on a field goes into `$and`. */
export function filterOf(rows: readonly ConditionRow[]): Filter | undefined {
  const filter: Record<string, Record<string, Condition>> = {}
  const more: Filter[] = []
  for (const row of rows) {
    const condition = { [row.operator]: operandOf(row) }
    if (filter[row.field]?.[row.operator] === undefined) filter[row.field] = { ...filter[row.field], ...condition }
    else more.push({ [row.field]: condition })
  }
  if (rows.length === 0) return undefined
  return more.length > 0 ? { ...filter, $and: more } : filter
}

/** A change as a row of the builder; undefined if only JSON can show it. */
export type MapRow = { kind: 'from' | 'value' | 'remove'; target: string; source: string }

export function mapRow(rule: MapRule): MapRow | undefined {
  if ('remove' in rule) return { kind: 'remove', target: rule.remove, source: '' }
  if (rule.when !== undefined) return undefined
  if ('from' in rule) return { kind: 'from', target: rule.set, source: rule.from }
  return 'value' in rule ? { kind: 'value', target: rule.set, source: valueText(rule.value) } : undefined
}

export function mapRuleOf({ kind, target, source }: MapRow): MapRule {
  if (kind === 'remove') return { remove: target }
  return kind === 'from' ? { set: target, from: source } : { set: target, value: textValue(source) }
}

/** The rules as the text beside the builder. */
export const rulesText = (rules: ChannelRules): string =>
  Object.keys(rules).length === 0 ? '' : JSON.stringify(rules, undefined, 2)

const names = ['filter', 'rename', 'map', 'sample']

/** The rules of a text; undefined if it is not an object of rules. The server checks their content. */
export function parseRulesText(text: string): ChannelRules | undefined {
  if (text.trim() === '') return {}
  try {
    const rules: unknown = JSON.parse(text)
    const isRules =
      typeof rules === 'object' && rules !== null && Object.keys(rules).every((name) => names.includes(name))
    return isRules && !Array.isArray(rules) ? (rules as ChannelRules) : undefined
  } catch {
    return undefined
  }
}
