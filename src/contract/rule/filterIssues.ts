import { isRecord } from '../isRecord.ts'
import type { Issue } from '../schema.ts'
import { standardKeyField, standardKeys } from '../standardKeys.ts'
import { ruleLimits } from './ruleLimits.ts'
import { isPersonalPath, partIssue } from './rulePaths.ts'
import { issueOfUnknown, quoted } from './ruleText.ts'

/**
 * The problem with a regular expression. Undefined if RE2 accepts it. Passed as a parameter, because RE2 is too large
 * for a page.
 */
export type RegexIssue = (pattern: string) => string | undefined

const comparators = [
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
  '$exist',
  '$regex',
] as const
export type Comparator = (typeof comparators)[number]
const combinators = ['$or', '$and', '$not'] as const
const fieldOperators: readonly string[] = [...comparators, ...combinators, '$anyOf']

/** The parts of `pageUrl` and `referrer` that a filter can read in addition to the whole text. */
const urlParts = ['host', 'path', 'query']

/** The top-level fields of a filter with their parts. Without a list, any part is allowed. */
const filterRoots: Readonly<Record<string, readonly string[] | undefined>> = {
  eventName: [],
  data: undefined,
  pageUrl: urlParts,
  pageTitle: [],
  referrer: urlParts,
  source: ['name'],
  place: ['country', 'region'],
  isTest: [],
  providers: undefined,
}
const rootNames = Object.keys(filterRoots)
const personalRoots = standardKeys.map(standardKeyField)
/** At the top level, a person's field is `userEmail`, not the bare key, which would never be present. */
const isPersonalRoot = (root: string) => personalRoots.includes(root) || root === 'user' || root === 'userId'

/** The problem with a field in a filter. Undefined for a known field. Parts below `data` are free. */
function fieldIssue(parts: readonly string[]): string | undefined {
  const [root, second, third] = parts as [string, string?, string?]
  const wrongPart = parts.map(partIssue).find((issue) => issue !== undefined)
  if (wrongPart) return wrongPart
  if (parts.length > ruleLimits.pathParts) return `has more than ${ruleLimits.pathParts} parts`
  if (isPersonalRoot(root)) return undefined
  if (!Object.hasOwn(filterRoots, root))
    return issueOfUnknown(root, 'field of a filter', [...rootNames, ...(root.startsWith('user') ? personalRoots : [])])
  const known = filterRoots[root]
  if (known === undefined || second === undefined) return undefined
  if (known.length === 0) return `${root} has no parts`
  if (!known.includes(second)) return issueOfUnknown(second, `part of ${root}`, known)
  const isQuery = second === 'query'
  if (isQuery ? parts.length > 3 : third !== undefined) return `${root}.${second} has no parts with that name`
  return undefined
}

type Walk = { issues: Issue[]; conditions: number; regexIssue: RegexIssue }
type At = { path: string; parts: readonly string[]; depth: number }

const tooManyIssues = 20

function add(walk: Walk, path: string, message: string): undefined {
  if (walk.issues.length < tooManyIssues) walk.issues.push({ path, message })
}

const isValue = (value: unknown) => value === null || ['string', 'number', 'boolean'].includes(typeof value)
const isShort = (value: unknown) => typeof value !== 'string' || value.length <= ruleLimits.textLength
const isListOf = (value: unknown, is: (each: unknown) => boolean) =>
  Array.isArray(value) && value.length > 0 && value.length <= ruleLimits.list && value.every(is)
const isText = (value: unknown) => typeof value === 'string' && isShort(value)

/** The problem with the operand of a comparator. */
function operandIssue(operator: Comparator, operand: unknown, regexIssue: RegexIssue): string | undefined {
  if (operator === '$exist') return typeof operand === 'boolean' ? undefined : 'must be true or false'
  if (operator === '$regex') {
    if (typeof operand !== 'string') return 'must be a text'
    if (operand.length > ruleLimits.regexLength) return `has more than ${ruleLimits.regexLength} characters`
    return regexIssue(operand)
  }
  if (operator === '$in' || operator === '$nin')
    return isListOf(operand, (each) => isValue(each) && isShort(each))
      ? undefined
      : `must be a list of 1 to ${ruleLimits.list} values; $contains finds a part of a text`
  if (operator === '$startsWith' || operator === '$endsWith' || operator === '$contains')
    return isText(operand) || isListOf(operand, isText)
      ? undefined
      : `must be a text of at most ${ruleLimits.textLength} characters, or a list of them`
  if (operator === '$eq' || operator === '$neq')
    return isValue(operand) && isShort(operand) ? undefined : 'must be a text, a number, true, false or null'
  return typeof operand === 'number' || isText(operand) ? undefined : 'must be a number or a text'
}

function countCondition(walk: Walk, at: At, isPresence: boolean): void {
  walk.conditions++
  if (walk.conditions === ruleLimits.conditions + 1) add(walk, '', `has more than ${ruleLimits.conditions} conditions`)
  if (!isPresence && isPersonalPath(at.parts)) add(walk, at.path, 'is a personal field: only $exist can test it')
}

/** A list of conditions, as in `$or`, each one level deeper. */
function walkAll(walk: Walk, list: unknown, at: At, each: typeof walkObject): undefined {
  if (!Array.isArray(list) || list.length === 0 || list.length > ruleLimits.list)
    return add(walk, at.path, `must be a list of 1 to ${ruleLimits.list} conditions`)
  for (const [n, one] of list.entries()) each(walk, one, { ...at, path: `${at.path}.${n}`, depth: at.depth + 1 })
}

/** Whether reading stops here: nested too deep, too many conditions, or too many issues. Checked before the recursion. */
function isTooDeep(walk: Walk, { path, depth }: At): boolean {
  if (depth <= ruleLimits.depth && walk.conditions <= ruleLimits.conditions && walk.issues.length < tooManyIssues)
    return false
  if (depth > ruleLimits.depth) add(walk, path, `is nested deeper than ${ruleLimits.depth} of $or, $and, $not, $anyOf`)
  return true
}

function walkOperator(walk: Walk, operator: string, operand: unknown, at: At): undefined {
  if (operator === '$or' || operator === '$and') return walkAll(walk, operand, at, walkCondition)
  if (operator === '$not' || operator === '$anyOf') return walkCondition(walk, operand, { ...at, depth: at.depth + 1 })
  if (!(comparators as readonly string[]).includes(operator))
    return add(walk, at.path, issueOfUnknown(operator, 'operator', fieldOperators))
  countCondition(walk, at, operator === '$exist')
  const issue = operandIssue(operator as Comparator, operand, walk.regexIssue)
  if (issue) add(walk, at.path, issue)
}

/** A condition on one field: a value, a list, or operators and names of nested fields. */
function walkCondition(walk: Walk, condition: unknown, at: At): undefined {
  if (isTooDeep(walk, at)) return
  if (isValue(condition)) {
    countCondition(walk, at, false)
    if (!isShort(condition)) add(walk, at.path, `has more than ${ruleLimits.textLength} characters`)
    return
  }
  if (Array.isArray(condition)) return walkAll(walk, condition, at, walkCondition)
  if (!isRecord(condition) || Object.keys(condition).length === 0)
    return add(walk, at.path, 'has no condition: write a value or an operator, such as {$gte: 10}')
  for (const [name, each] of Object.entries(condition)) {
    const path = `${at.path}.${name.slice(0, 100)}`
    if (name.startsWith('$')) walkOperator(walk, name, each, { ...at, path })
    else walkField(walk, name, each, { ...at, path })
  }
}

function walkField(walk: Walk, name: string, condition: unknown, at: At): undefined {
  const parts = [...at.parts, ...name.split('.')]
  const issue = fieldIssue(parts)
  if (issue) add(walk, at.path, issue)
  else walkCondition(walk, condition, { ...at, parts })
}

/** A filter, or an operand of a top-level `$or`, `$and` or `$not`: fields and these operators. */
function walkObject(walk: Walk, filter: unknown, at: At): undefined {
  if (isTooDeep(walk, at)) return
  if (!isRecord(filter) || Object.keys(filter).length === 0)
    return add(walk, at.path, 'has no condition: name a field, such as {eventName: "Purchase"}')
  for (const [name, each] of Object.entries(filter)) {
    const below = { ...at, path: `${at.path}.${name.slice(0, 100)}` }
    if (name === '$or' || name === '$and') walkAll(walk, each, below, walkObject)
    else if (name === '$not') walkObject(walk, each, { ...below, depth: at.depth + 1 })
    else if (name.startsWith('$'))
      add(
        walk,
        below.path,
        fieldOperators.includes(name)
          ? `${quoted(name)} needs a field: {data: {value: {${name}: …}}}`
          : issueOfUnknown(name, 'operator', [...combinators]),
      )
    else walkField(walk, name, each, below)
  }
}

/** The issues of a filter, at most 20, with their paths below `filter`. */
export function filterIssues(filter: unknown, regexIssue: RegexIssue): Issue[] {
  const walk: Walk = { issues: [], conditions: 0, regexIssue }
  walkObject(walk, filter, { path: 'filter', parts: [], depth: 0 })
  return walk.issues.map((issue) => (issue.path === '' ? { ...issue, path: 'filter' } : issue))
}

/** The issues of a condition on one value, as in a case of `switch`. */
export function conditionIssues(
  condition: unknown,
  { path, parts }: Pick<At, 'path' | 'parts'>,
  regexIssue: RegexIssue,
): Issue[] {
  const walk: Walk = { issues: [], conditions: 0, regexIssue }
  walkCondition(walk, condition, { path, parts, depth: 0 })
  return walk.issues.map((issue) => (issue.path === '' ? { ...issue, path } : issue))
}
