import type { Condition, Filter } from '#contract/rule/channelRules.ts'
import { ruleLimits } from '#contract/rule/ruleLimits.ts'

/** Path parts that would reach members that every JavaScript object has. */
const refusedParts: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype'])

/** Whether a rule may use this path: names separated by `.`. */
export const isPath = (path: string): boolean =>
  path.length <= 200 && path.split('.').every((part) => /^[\w-]{1,100}$/.test(part) && !refusedParts.has(part))

/** `data.value` with `{$gte: 10}` as `{data: {value: {$gte: 10}}}`. */
export function conditionOn(path: string, operation: Condition): Filter {
  const [last, ...others] = path.split('.').reverse()
  return others.reduce<Filter>((inner, part) => ({ [part]: inner }), { [last!]: operation })
}

const key = (value: unknown) => JSON.stringify(value)
const distinct = (filters: readonly Filter[]) => [...new Map(filters.map((each) => [key(each), each])).values()]
const isEmpty = (filter: Filter) => Object.keys(filter).length === 0

/** The members of a filter as filters, including those of its `$and`. */
const membersOf = (filter: Filter): Filter[] =>
  Object.entries(filter).flatMap(([name, condition]) =>
    name === '$and' && Array.isArray(condition) ? (condition as Filter[]).flatMap(membersOf) : [{ [name]: condition }],
  )

/** A filter that requires all of these. */
export function allOf(filters: readonly Filter[]): Filter {
  const whole: Record<string, Condition> = {}
  const others: Filter[] = []
  for (const part of distinct(filters.flatMap(membersOf))) {
    const [name] = Object.keys(part) as [string]
    if (Object.hasOwn(whole, name)) others.push(part)
    else Object.assign(whole, part)
  }
  return others.length > 0 ? { ...whole, $and: others } : whole
}

/** A filter that requires one of these; an empty one accepts every event. */
export function anyOf(filters: readonly Filter[]): Filter {
  const parts = distinct(filters)
  if (parts.length === 0 || parts.some(isEmpty)) return {}
  return parts.length === 1 ? parts[0]! : { $or: parts }
}

export const not = (filter: Filter): Filter => ({ $not: filter })

/** The filter for a list of event names; a single name is written without a list. */
export const namedEvents = (names: readonly string[]): Filter => ({
  eventName: names.length === 1 ? names[0]! : { $in: [...names] },
})

/** Syntax that RE2 does not support: look-around and back-references. */
const notInRe2 = /\(\?(?:[=!]|<[=!])|\\[1-9]|\\k</

/** What is wrong with a regular expression of an export, as far as can be seen without compiling it. */
export function patternIssue(pattern: string): string | undefined {
  if (pattern.length > ruleLimits.regexLength) return `has more than ${ruleLimits.regexLength} characters`
  return notInRe2.test(pattern) ? 'has look-around or a back-reference, which RE2 does not support' : undefined
}
export const isLinearPattern = (pattern: string): boolean => patternIssue(pattern) === undefined

const escapePattern = (text: string) => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')

/** A case-insensitive pattern for a text; `where` is its position in the value. */
export const anyCase = (text: string, where: 'equal' | 'start' | 'end' | 'part'): { $regex: string } => ({
  $regex: `(?i)${['equal', 'start'].includes(where) ? '^' : ''}${escapePattern(text)}${['equal', 'end'].includes(where) ? '$' : ''}`,
})
