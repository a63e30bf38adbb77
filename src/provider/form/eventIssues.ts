import { EventPayload, type TagEvent } from '#contract/event.ts'
import type { Issue } from '#contract/schema.ts'
import { isStandardEvent, standardEvents } from '#contract/standardEvents.ts'
import { compileValidator } from '#contract/validator.ts'

const schemaIssues = compileValidator(EventPayload)
const maxIssues = 20

const isAbsent = (value: unknown) => value === undefined || value === null || value === ''

/** The fields that are not null: null means absent. */
const present = (event: object) => Object.fromEntries(Object.entries(event).filter(([, value]) => value !== null))

/**
 * Describes how an event differs from its standard shape, in at most 20 sentences. The sentences contain no values of
 * the event.
 */
export function eventIssues(event: TagEvent): string[] {
  const { eventName } = event
  const required: readonly string[] = isStandardEvent(eventName) ? standardEvents[eventName] : []
  const data: Readonly<Record<string, unknown>> = event.data ?? {}
  const issues = [
    ...schemaIssues(present(event)).map(({ path, message }) => `${path.slice(0, 100)} ${message}`),
    ...required.filter((field) => isAbsent(data[field])).map((field) => `data.${field} is required`),
    ...misspellingIssues(eventName),
  ]
  return issues.slice(0, maxIssues)
}

const separator = '; '
const noIssues = 'no issues'

/** The issues of an event as one line. */
export const formatIssues = (issues: readonly string[]): string =>
  issues.length > 0 ? issues.join(separator) : noIssues

/** The issues in a line that `formatIssues` wrote. The path ends at the first space: paths of known fields contain none. */
export function parseIssues(line: string): Issue[] {
  if (line === noIssues) return []
  return line.split(separator).map((issue) => {
    const [path = '', ...words] = issue.split(' ')
    return { path, message: words.join(' ') }
  })
}

/** For a custom event whose name differs from a standard one only in case, spaces, `_` and `-`. */
function misspellingIssues(eventName: string): string[] {
  const simplified = (name: string) => name.toLowerCase().replace(/[\s_-]/g, '')
  const meant = Object.keys(standardEvents).find((name) => simplified(name) === simplified(`${eventName}`))
  return meant && meant !== eventName ? [`eventName is not a standard event; did you mean ${meant}?`] : []
}
