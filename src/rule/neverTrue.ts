import type { Condition, Filter, RuleValue } from '#contract/rule/channelRules.ts'
import { compileCondition } from './compileFilter.ts'

type Operators = { readonly [name: string]: Condition }

const isOperators = (condition: Condition): condition is Operators =>
  typeof condition === 'object' && condition !== null && !Array.isArray(condition)

/** The only values that can fulfil a condition. Undefined if there may be others. */
function onlyValues(condition: Condition): readonly RuleValue[] | undefined {
  if (!isOperators(condition)) return Array.isArray(condition) ? undefined : [condition as RuleValue]
  if ('$eq' in condition) return [condition.$eq as RuleValue]
  return '$in' in condition ? (condition.$in as readonly RuleValue[]) : undefined
}

/** Whether no value can fulfil all operators of one condition: `{$eq: 1, $in: [2]}`, `{$gt: 5, $lt: 3}`. */
function isNeverTrue(condition: Condition): boolean {
  if (!isOperators(condition)) return false
  const values = onlyValues(condition)
  const { test } = compileCondition(condition, '')
  if (values) return Object.keys(condition).every((name) => name.startsWith('$')) && !values.some(test)
  const least = [condition.$gt, condition.$gte].filter((each) => typeof each === 'number')
  const most = [condition.$lt, condition.$lte].filter((each) => typeof each === 'number')
  return least.length > 0 && most.length > 0 && Math.max(...least) > Math.min(...most)
}

/** The fields that are never lists: two conditions of a filter on such a field test the same value. */
const isSingle = (field: string) =>
  /^(?:eventName|isTest|place\.\w+|pageTitle|source\.name|pageUrl|pageUrl\.(?:host|path))$/.test(field)

/** The conditions that must all hold, with the dotted names of their fields. */
function* required(condition: Condition, field: string): Generator<readonly [field: string, condition: Condition]> {
  if (field !== '') yield [field, condition]
  if (!isOperators(condition)) return
  for (const [name, below] of Object.entries(condition)) {
    if (name === '$and') for (const each of below as readonly Condition[]) yield* required(each, field)
    else if (!name.startsWith('$')) yield* required(below, field === '' ? name : `${field}.${name}`)
  }
}

/** A field whose conditions no event can fulfil together. Undefined if none is found. */
export function neverTrueField(filter: Filter): string | undefined {
  const conditions = [...required(filter, '')]
  const alone = conditions.find(([, condition]) => isNeverTrue(condition))
  if (alone) return alone[0]
  const byField = Map.groupBy(
    conditions.filter(([field, condition]) => isSingle(field) && onlyValues(condition) !== undefined),
    ([field]) => field,
  )
  return [...byField].find(([, same]) => {
    const [first, ...others] = same.map(([, condition]) => condition)
    const tests = others.map((condition) => compileCondition(condition, '').test)
    return !onlyValues(first!)!.some((value) => tests.every((test) => test(value)))
  })?.[0]
}
