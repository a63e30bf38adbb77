import { createRequire } from 'node:module'
import type * as Re2 from 're2js'
import { regexIssueBy } from '#contract/rule/regexIssue.ts'

let library: typeof Re2 | undefined
/** Loaded for the first expression: loading takes 25 ms, and most channels have no expression. */
const re2 = () => (library ??= createRequire(import.meta.url)('re2js') as typeof Re2)

/** The time of a match is linear in the length of the text. */
const maxTextLength = 2_048

/** The problem with a regular expression. Undefined if it can be used. */
export const regexIssue = regexIssueBy((pattern) => re2().RE2JS.compile(pattern).programSize())

/** Whether the pattern matches anywhere in a text. Never matches texts of more than 2,048 characters. */
export function compileRegex(pattern: string): (text: string) => boolean {
  try {
    const compiled = re2().RE2JS.compile(pattern)
    return (text) => text.length <= maxTextLength && compiled.test(text)
  } catch {
    return () => false // the API rejects such patterns
  }
}
