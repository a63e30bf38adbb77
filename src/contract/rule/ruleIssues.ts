import { isRecord } from '../isRecord.ts'
import type { Issue } from '../schema.ts'
import type { ChannelRulesWrite, RuleName } from './channelRules.ts'
import { conditionIssues, filterIssues, type RegexIssue } from './filterIssues.ts'
import { ruleFunctions, ruleLimits } from './ruleLimits.ts'
import {
  isPersonalPath,
  parseRulePath,
  parseRuleSource,
  parseTemplate,
  pathIssue,
  sourceIssues,
  templateIssue,
} from './rulePaths.ts'
import { issueOfUnknown } from './ruleText.ts'

export type { RegexIssue } from './filterIssues.ts'

const nameLength = 200

function renameIssues(rename: unknown): Issue[] {
  if (!isRecord(rename) || Object.keys(rename).length === 0)
    return [{ path: 'rename', message: 'has no names: write {old_name: "New"}, or null to remove the rule' }]
  const pairs = Object.entries(rename)
  if (pairs.length > ruleLimits.renames)
    return [{ path: 'rename', message: `has more than ${ruleLimits.renames} names` }]
  return pairs.flatMap(([from, to]): Issue[] => {
    const path = `rename.${from.slice(0, 100)}`
    if (from === '' || from.length > nameLength) return [{ path, message: `must be 1 to ${nameLength} characters` }]
    if (from === '__proto__' || from === 'constructor') return [{ path, message: 'is not allowed' }]
    if (to === null || (typeof to === 'string' && to.trim() !== '' && to.length <= nameLength)) return []
    return [{ path, message: `must be a name of 1 to ${nameLength} characters, or null for never` }]
  })
}

const isConstant = (value: unknown) =>
  value === null ||
  (typeof value === 'string' && value.length <= ruleLimits.textLength) ||
  (typeof value === 'number' && Number.isFinite(value)) ||
  typeof value === 'boolean'
const constantIssue = 'must be a text, a number, true, false or null'

const forms = ['from', 'value', 'switch', 'template'] as const
const setFields = ['set', 'when', 'cases', 'otherwise', ...forms]

const listFunctions: readonly string[] = ruleFunctions.slice(ruleFunctions.indexOf('sum'))

/** How a list of the source fits the target: as many `[]`, or one more that a function turns into one value. */
function listIssue(target: string, source: string): string | undefined {
  const of = parseRuleSource(source)
  const more = of.lists.length - parseRulePath(target).lists.length
  const isReduced = of.functions.some((each) => listFunctions.includes(each))
  if (more === 0 || (more === 1 && isReduced)) return undefined
  return more === 1
    ? `has one [] more than set: add ${listFunctions.join(', ')}, or [] in set`
    : 'must have as many [] as set'
}

const personalTarget = 'is a personal field: it can only be set from another personal field'

/** A personal value may only be set in a personal field, and a personal field may only be set to a personal value. */
function personalIssue(target: readonly string[], source: readonly string[]): string | undefined {
  const [to, from] = [isPersonalPath(target), isPersonalPath(source)]
  if (from && !to) return 'is a personal field: its value cannot be set in a field that is not personal'
  if (to && !from) return 'is not a personal field: a personal field can only be set from another one'
  return undefined
}

function fromIssues(target: string, source: unknown, path: string): Issue[] {
  const issues = sourceIssues(source, path)
  if (issues.length > 0) return issues
  const message =
    listIssue(target, source as string) ??
    personalIssue(parseRulePath(target).parts, parseRuleSource(source as string).parts)
  return message ? [{ path, message }] : []
}

function templateIssues(target: string, template: unknown, path: string): Issue[] {
  const issue = templateIssue(template)
  if (issue) return [{ path, message: issue }]
  const lists = parseRulePath(target).lists.length
  return parseTemplate(template as string)!.flatMap((part): Issue[] => {
    if (typeof part === 'string') return []
    const isFit = part.lists.length === lists || part.lists.length === 0
    const message = isFit
      ? personalIssue(parseRulePath(target).parts, part.parts)
      : 'must have as many [] as set, or none'
    return message ? [{ path, message: `${part.parts.join('.').slice(0, 60)} ${message}` }] : []
  })
}

function switchIssues(rule: Record<string, unknown>, target: string, path: string, regexIssue: RegexIssue): Issue[] {
  const { switch: source, cases, otherwise } = rule
  const issues = fromSwitch(target, source, `${path}.switch`)
  if (!Array.isArray(cases) || cases.length === 0 || cases.length > ruleLimits.list)
    return [...issues, { path: `${path}.cases`, message: `must be a list of 1 to ${ruleLimits.list} cases` }]
  if (otherwise !== undefined && !isConstant(otherwise))
    issues.push({ path: `${path}.otherwise`, message: constantIssue })
  const parts = typeof source === 'string' ? parseRulePath(source).parts : []
  const ofCases = cases.flatMap((each: unknown, n): Issue[] => {
    const at = `${path}.cases.${n}`
    if (!isRecord(each)) return [{ path: at, message: 'must have when and value' }]
    const unknown = Object.keys(each).filter((name) => name !== 'when' && name !== 'value')
    return [
      ...unknown.map((name) => ({ path: at, message: issueOfUnknown(name, 'field of a case', ['when', 'value']) })),
      ...conditionIssues(each.when, { path: `${at}.when`, parts }, regexIssue),
      ...(isConstant(each.value) ? [] : [{ path: `${at}.value`, message: constantIssue }]),
    ]
  })
  return [...issues, ...ofCases.slice(0, 20)]
}

/** The path that selects a case: a person's field may select by its presence, since the values are constants. */
function fromSwitch(target: string, source: unknown, path: string): Issue[] {
  const issue = pathIssue(source, 'read')
  if (issue) return [{ path, message: issue }]
  const isFit = parseRulePath(source as string).lists.length === parseRulePath(target).lists.length
  return isFit ? [] : [{ path, message: 'must have as many [] as set' }]
}

function setIssues(rule: Record<string, unknown>, path: string, regexIssue: RegexIssue): Issue[] {
  const wrongTarget = pathIssue(rule.set, 'set')
  if (wrongTarget) return [{ path: `${path}.set`, message: wrongTarget }]
  const target = rule.set as string
  const given = forms.filter((form) => rule[form] !== undefined)
  const unknown = Object.keys(rule).filter((name) => !setFields.includes(name))
  const issues: Issue[] = unknown.map((name) => ({ path, message: issueOfUnknown(name, 'field of a rule', setFields) }))
  if (given.length !== 1) issues.push({ path, message: `must have one of ${forms.join(', ')}` })
  if (rule.when !== undefined && rule.when !== 'missing')
    issues.push({ path: `${path}.when`, message: 'must be "missing" or absent' })
  const isPersonal = isPersonalPath(parseRulePath(target).parts)
  if (given[0] === 'value') {
    if (!isConstant(rule.value)) issues.push({ path: `${path}.value`, message: constantIssue })
    if (isPersonal) issues.push({ path: `${path}.set`, message: personalTarget })
  }
  if (given[0] === 'from') issues.push(...fromIssues(target, rule.from, `${path}.from`))
  if (given[0] === 'template') issues.push(...templateIssues(target, rule.template, `${path}.template`))
  if (given[0] === 'switch') {
    if (isPersonal) issues.push({ path: `${path}.set`, message: personalTarget })
    issues.push(...switchIssues(rule, target, path, regexIssue))
  }
  return issues
}

function mapRuleIssues(rule: unknown, path: string, regexIssue: RegexIssue): Issue[] {
  if (!isRecord(rule)) return [{ path, message: 'must be a rule: {set, from}, {set, value} or {remove}' }]
  if (rule.remove === undefined) {
    if (rule.set !== undefined) return setIssues(rule, path, regexIssue)
    const [first = ''] = Object.keys(rule)
    return [{ path, message: first ? issueOfUnknown(first, 'rule', ['set', 'remove']) : 'must have set or remove' }]
  }
  const issue = pathIssue(rule.remove, 'set')
  const more = Object.keys(rule).filter((name) => name !== 'remove')
  return [
    ...(issue ? [{ path: `${path}.remove`, message: issue }] : []),
    ...(more.length > 0 ? [{ path, message: 'a remove rule must not have other fields' }] : []),
  ]
}

function mapIssues(map: unknown, regexIssue: RegexIssue): Issue[] {
  if (!Array.isArray(map) || map.length === 0)
    return [{ path: 'map', message: 'must be a list of rules; null removes it' }]
  if (map.length > ruleLimits.mapRules) return [{ path: 'map', message: `has more than ${ruleLimits.mapRules} rules` }]
  return map.flatMap((rule, n) => mapRuleIssues(rule, `map.${n}`, regexIssue))
}

function sampleIssues(sample: unknown): Issue[] {
  const isShare = typeof sample === 'number' && sample > 0 && sample <= 1
  return isShare
    ? []
    : [{ path: 'sample', message: 'must be greater than 0 and at most 1: to send nothing, pause the script' }]
}

/**
 * The approximate length of a value as JSON, in characters. Infinite for a value nested deeper than any rule, so that
 * no other code recurses into it.
 */
function sizeOf(value: unknown, levels = 40): number {
  if (typeof value !== 'object' || value === null) return typeof value === 'string' ? value.length + 3 : 5
  if (levels === 0) return Number.POSITIVE_INFINITY
  let size = 2
  for (const [name, each] of Object.entries(value)) size += name.length + 4 + sizeOf(each, levels - 1)
  return size
}

const checks: Readonly<Record<RuleName, (rule: unknown, regexIssue: RegexIssue) => Issue[]>> = {
  filter: filterIssues,
  rename: renameIssues,
  map: mapIssues,
  sample: sampleIssues,
}

/** The issues of the rules in a write, each with its path (`map.3.from`), at most 100. Absent and null are valid. */
export function ruleIssues(write: ChannelRulesWrite, regexIssue: RegexIssue): Issue[] {
  const given = (Object.keys(checks) as RuleName[]).filter((name) => write[name] != null)
  const oversized = given.filter((name) => sizeOf(write[name]) > ruleLimits.characters)
  if (oversized.length > 0)
    return oversized.map((path) => ({
      path,
      message: `is nested too deep, or has more than ${ruleLimits.characters} characters as JSON`,
    }))
  return given.flatMap((name) => checks[name](write[name], regexIssue)).slice(0, 100)
}
