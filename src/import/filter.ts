import type { Condition, Filter } from '#contract/rule/channelRules.ts'
import { ruleLimits } from '#contract/rule/ruleLimits.ts'

/** Parts of a path that would reach what JavaScript gives to every object. */
const refusedParts: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype'])

/** True for a path of names with `.` between them that a rule may use. */
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

/** The members of a filter as filters, also those of its `$and`. */
const membersOf = (filter: Filter): Filter[] =>
  Object.entries(filter).flatMap(([name, condition]) =>
    name === '$and' && Array.isArray(condition) ? (condition as Filter[]).flatMap(membersOf) : [{ [name]: condition }],
  )

/** A filter that needs all of these. */
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

/** A filter that needs one of these; an empty one accepts every event. */
export function anyOf(filters: readonly Filter[]): Filter {
  const parts = distinct(filters)
  if (parts.length === 0 || parts.some(isEmpty)) return {}
  return parts.length === 1 ? parts[0]! : { $or: parts }
}

export const not = (filter: Filter): Filter => ({ $not: filter })

/** The names of a filter's events: one is written by itself. */
export const namedEvents = (names: readonly string[]): Filter => ({
  eventName: names.length === 1 ? names[0]! : { $in: [...names] },
})

/** Constructs that RE2 does not have: look-around and back-references. */
const notInRe2 = /\(\?(?:[=!]|<[=!])|\\[1-9]|\\k</

/** What is wrong with an expression of an export, as far as it shows without compiling it. */
export function patternIssue(pattern: string): string | undefined {
  if (pattern.length > ruleLimits.regexLength) return `has more than ${ruleLimits.regexLength} characters`
  return notInRe2.test(pattern) ? 'has look-around or a back-reference, which RE2 does not have' : undefined
}
export const isLinearPattern = (pattern: string): boolean => patternIssue(pattern) === undefined

const escapePattern = (text: string) => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')

/** A pattern for a text without regard to case; `where` says where in the value it is. */
export const anyCase = (text: string, where: 'equal' | 'start' | 'end' | 'part'): { $regex: string } => ({
  $regex: `(?i)${['equal', 'start'].includes(where) ? '^' : ''}${escapePattern(text)}${['equal', 'end'].includes(where) ? '$' : ''}`,
})
