import { EventPayload, isStandardEvent, standardEvents, type TagEvent } from '#contract/event.ts'
import { check, type Issue } from '#contract/schema.ts'

const wrong = check(EventPayload)
const most = 20

const isAbsent = (value: unknown) => value === undefined || value === null || value === ''

/** Null and absent mean the same. */
const present = (event: object) => Object.fromEntries(Object.entries(event).filter(([, value]) => value !== null))

/** What an event lacks of its standard shape, a sentence each, without any of its values; at most twenty. */
export function issuesOf(event: TagEvent): string[] {
  const { eventName } = event
  const required: readonly string[] = isStandardEvent(eventName) ? standardEvents[eventName] : []
  const data: Readonly<Record<string, unknown>> = event.data ?? {}
  const issues = [
    ...wrong(present(event)).map(({ path, message }) => `${path.slice(0, 100)} ${message}`),
    ...required.filter((field) => isAbsent(data[field])).map((field) => `data.${field} is required`),
    ...misspelt(eventName),
  ]
  return issues.slice(0, most)
}

const between = '; '
const none = 'no issues'

/** The issues of an event as one line of the journal. */
export const issuesLine = (issues: readonly string[]): string => (issues.length > 0 ? issues.join(between) : none)

/** What `issuesLine` wrote, each with its place again: a place is a path of known fields, and holds no space. */
export function readIssues(line: string): Issue[] {
  if (line === none) return []
  return line.split(between).map((issue) => {
    const [path = '', ...words] = issue.split(' ')
    return { path, message: words.join(' ') }
  })
}

/** A custom event whose name is a standard one's but for capitals and spaces. */
function misspelt(eventName: string): string[] {
  const bare = (name: string) => name.toLowerCase().replace(/[\s_-]/g, '')
  const meant = Object.keys(standardEvents).find((name) => bare(name) === bare(`${eventName}`))
  return meant && meant !== eventName ? [`eventName is no standard event, ${meant} is`] : []
}
