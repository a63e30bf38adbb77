import type { Issue } from '../schema.ts'
import { isPersonalName } from '../standardKeys.ts'
import { type RuleFunction, ruleFunctions, ruleLimits } from './ruleLimits.ts'
import { issueOfUnknown, quoted } from './ruleText.ts'

/** A path in a map rule. `lists`: the indexes of the parts that are written with `[]`. */
export type RulePath = { parts: readonly string[]; lists: readonly number[] }
type RuleSource = RulePath & { functions: readonly RuleFunction[] }

const forbiddenParts: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype'])

/** The problem with one part of a path. Undefined for a valid part. */
export function partIssue(part: string): string | undefined {
  if (part === '') return 'has an empty part'
  if (part.length > 100) return 'has a part of more than 100 characters'
  return forbiddenParts.has(part) ? `may not have the part ${part}` : undefined
}

/**
 * Whether a part of the path names personal data, such as `userEmail` or `data.user.id`. `place` is the location of the
 * event.
 */
export const isPersonalPath = (parts: readonly string[]): boolean => parts[0] !== 'place' && parts.some(isPersonalName)

/** The non-personal event fields that map rules may read. They may set the first five. */
const settableFields = ['data', 'pageUrl', 'pageTitle', 'referrer', 'search']
const readableFields = [...settableFields, 'eventName', 'eventId', 'timestamp', 'source']

type PathUse = 'read' | 'set'

/** Splits `data.contents[].id`. Call `pathIssue` first: an invalid path gives a path that matches nothing. */
export function parseRulePath(text: string): RulePath {
  const names = text.split('.')
  const lists = names.flatMap((name, at) => (name.endsWith('[]') ? [at] : []))
  return { parts: names.map((name) => name.replace(/\[\]$/, '')), lists }
}

/** The problem with a path. Undefined for a valid path. */
export function pathIssue(text: unknown, use: PathUse): string | undefined {
  if (typeof text !== 'string') return 'must be a path such as data.value'
  if (text.length > ruleLimits.textLength) return `has more than ${ruleLimits.textLength} characters`
  const { parts } = parseRulePath(text)
  if (parts.length > ruleLimits.pathParts) return `has more than ${ruleLimits.pathParts} parts`
  const wrongPart = parts.map(partIssue).find((issue) => issue !== undefined)
  if (wrongPart) return wrongPart
  if (parts.some((part) => /[[\]{}\s]/.test(part))) return 'may have [] only at the end of a part, and no spaces'
  const [root] = parts as [string]
  const known = use === 'set' ? settableFields : readableFields
  if (isPersonalName(root)) return root === 'userId' && use === 'set' ? 'may not be userId' : undefined
  if (!known.includes(root)) return `${issueOfUnknown(root, 'field of an event that a rule can use', known)}`
  if (use === 'set' && text === 'data') return 'must name a field of data'
  return undefined
}

const isFunction = (word: string): word is RuleFunction => (ruleFunctions as readonly string[]).includes(word)

/** Splits `data.contents[].price number sum`. Unknown words are omitted: call `sourceIssues` first. */
export function parseRuleSource(text: string): RuleSource {
  const [path = '', ...words] = text.trim().split(/\s+/)
  return { ...parseRulePath(path), functions: words.filter(isFunction) }
}

export function sourceIssues(text: unknown, path: string): Issue[] {
  if (typeof text !== 'string') return [{ path, message: 'must be a path such as data.value' }]
  if (text.length > ruleLimits.textLength)
    return [{ path, message: `has more than ${ruleLimits.textLength} characters` }]
  const [first = '', ...words] = text.trim().split(/\s+/)
  const wrongPath = pathIssue(first, 'read')
  const unknown = words.filter((word) => !isFunction(word)).slice(0, 3)
  return [
    ...(wrongPath ? [{ path, message: wrongPath }] : []),
    ...(words.length > 10 ? [{ path, message: 'has more than 10 functions' }] : []),
    ...unknown.map((word) => ({ path, message: issueOfUnknown(word, 'function', ruleFunctions) })),
  ]
}

const templatePart = /\{\{|\}\}|\{([^{}]*)\}|[{}]/g

/** The parts of a template: texts and paths. Undefined if a brace is not closed or not opened. */
export function parseTemplate(template: string): readonly (string | RulePath)[] | undefined {
  const parts: (string | RulePath)[] = []
  let from = 0
  for (const found of template.matchAll(templatePart)) {
    const [whole, path] = found
    parts.push(template.slice(from, found.index))
    if (path === undefined && whole.length === 1) return undefined
    parts.push(path === undefined ? whole[0]! : parseRulePath(path))
    from = found.index + whole.length
  }
  return [...parts, template.slice(from)].filter((part) => part !== '')
}

/** The problem with a template. Quotes at most the invalid path. */
export function templateIssue(template: unknown): string | undefined {
  if (typeof template !== 'string') return 'must be a text'
  if (template.length > ruleLimits.textLength) return `has more than ${ruleLimits.textLength} characters`
  if (!parseTemplate(template)) return 'has a brace without its pair: write {{ for a brace'
  for (const [, path] of template.replaceAll('{{', '').matchAll(/\{([^{}]*)\}/g)) {
    const issue = pathIssue(path, 'read')
    if (issue) return `${quoted(path!)} ${issue}`
  }
  return undefined
}
