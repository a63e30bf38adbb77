import type { Issue } from './schema.ts'

/** An issue of a 400. `line` and `column`: its position, if the issue is in code. */
export type RequestIssue = Issue & { line?: number; column?: number }

const maxSentences = 3
const maxLength = 200
const clipped = (text: string) => (text.length > maxLength ? `${text.slice(0, maxLength)}…` : text)

/** A text with a full stop at its end, unless it has a question mark or a full stop there. */
export const asSentence = (text: string): string => (/[.?]$/.test(text) ? text : `${text}.`)

/** Issues as one sentence: the first three, and the number of further issues. */
export function issueSentence(issues: readonly RequestIssue[]): string {
  const sentences = issues
    .slice(0, maxSentences)
    .map(({ path, message }) => clipped(path ? `${path}: ${message}` : message))
  const more = issues.length > maxSentences ? `; and ${issues.length - maxSentences} more` : ''
  const text = sentences.join('; ')
  return more ? `${text.replace(/\.$/, '')}${more}.` : asSentence(text)
}
