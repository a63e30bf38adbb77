import type { Condition, Filter } from '#contract/rule/channelRules.ts'
import { compileComparator } from './compareValues.ts'
import { type FilterInput, readField, urlMember } from './filterInput.ts'

/** The condition that an event did not fulfil, and its path in the rules. */
export type FalseCondition = { path: string; condition: Condition }

/** A compiled condition. `why`: the innermost condition that is false, for a value that fails the test. */
type Check<Value = unknown> = { test(value: Value): boolean; why(value: Value): FalseCondition }

type Member = (value: unknown, name: string) => unknown

const ownMember: Member = (value, name) =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined

/** Whether any element of a list, or of its nested lists, passes. */
const someElement = (list: readonly unknown[], test: (value: unknown) => boolean): boolean =>
  list.some((each) => (Array.isArray(each) ? someElement(each, test) : test(each)))

const leaf = (test: Check['test'], path: string, condition: Condition): Check => ({
  test,
  why: () => ({ path, condition }),
})

/** All checks must pass. The first failed check gives the reason. */
function every<Value>(checks: readonly Check<Value>[], path: string, condition: Condition): Check<Value> {
  if (checks.length === 1) return checks[0]!
  return {
    test: (value) => checks.every((each) => each.test(value)),
    why: (value) => checks.find((each) => !each.test(value))?.why(value) ?? { path, condition },
  }
}

/** `a.b` means `a: {b}`. A list on the path passes if one of its elements does. */
const nested = (names: readonly string[], condition: Condition): Condition =>
  names.reduceRight<Condition>((inner, name) => ({ [name]: inner }), condition)

function compileMember(name: string, condition: Condition, path: string, member: Member): Check {
  const [first, ...rest] = name.split('.') as [string, ...string[]]
  const below = compileCondition(nested(rest, condition), path)
  return {
    test: (value) => below.test(member(value, first)),
    why: (value) => below.why(member(value, first)),
  }
}

function compileOperator(operator: string, operand: Condition, path: string): Check {
  const whole = (test: Check['test']) => leaf(test, path, operand)
  if (operator === '$exist') return whole((value) => (value !== undefined) === operand)
  if (operator === '$not') {
    const inner = compileCondition(operand, path)
    return whole((value) => !inner.test(value))
  }
  if (operator === '$anyOf') {
    const inner = compileCondition(operand, path)
    return whole((value) => Array.isArray(value) && value.some(inner.test))
  }
  if (operator === '$or' || operator === '$and') {
    const inner = (operand as readonly Condition[]).map((each, n) => compileCondition(each, `${path}.${n}`))
    if (operator === '$and') return every(inner, path, operand)
    return whole((value) => inner.some((each) => each.test(value)))
  }
  return whole(compileComparator(operator, operand))
}

/** `$exist` and `$anyOf` apply to the list itself. All other operators must hold together for one element. */
const isOfList = (name: string) => name === '$exist' || name === '$anyOf'

/** A condition on one value. */
export function compileCondition(condition: Condition, path: string, member: Member = ownMember): Check {
  if (Array.isArray(condition)) {
    const each = condition.map((one: Condition) => compileCondition(one, path))
    return leaf((value) => Array.isArray(value) && each.every(({ test }) => someElement(value, test)), path, condition)
  }
  const asObject = typeof condition === 'object' && condition !== null ? condition : { $eq: condition }
  const entries = Object.entries(asObject as Record<string, Condition>)
  const compiled = entries.map(([name, operand]) => {
    const at = asObject === condition ? `${path}.${name}` : path
    return name.startsWith('$') ? compileOperator(name, operand, at) : compileMember(name, operand, at, member)
  })
  const ofList = compiled.filter((_, n) => isOfList(entries[n]![0]))
  const ofElement = compiled.filter((_, n) => !isOfList(entries[n]![0]))
  const checks =
    ofElement.length > 0 ? [...ofList, onElement(every(ofElement, path, condition), path, condition)] : ofList
  return every(checks, path, condition)
}

const onElement = (check: Check, path: string, condition: Condition): Check => ({
  test: (value) => (Array.isArray(value) ? someElement(value, check.test) : check.test(value)),
  why: (value) => (Array.isArray(value) ? { path, condition } : check.why(value)),
})

function compileRoot(name: string, condition: Condition, path: string): Check<FilterInput> {
  const [root, ...rest] = name.split('.') as [string, ...string[]]
  const isUrl = root === 'pageUrl' || root === 'referrer'
  const below = compileCondition(nested(rest, condition), path, isUrl ? urlMember : ownMember)
  return {
    test: (input) => below.test(readField(input, root)),
    why: (input) => below.why(readField(input, root)),
  }
}

/** Compiles a valid filter to closures. */
export function compileFilter(filter: Filter, path = 'filter'): Check<FilterInput> {
  const checks = Object.entries(filter).map(([name, condition]): Check<FilterInput> => {
    const at = `${path}.${name}`
    if (name === '$and' || name === '$or') {
      const inner = (condition as readonly Filter[]).map((each, n) => compileFilter(each, `${at}.${n}`))
      if (name === '$and') return every(inner, at, condition)
      return { test: (input) => inner.some((each) => each.test(input)), why: () => ({ path: at, condition }) }
    }
    if (name !== '$not') return compileRoot(name, condition, at)
    const inner = compileFilter(condition as Filter, at)
    return { test: (input) => !inner.test(input), why: () => ({ path: at, condition }) }
  })
  return every(checks, path, filter)
}
