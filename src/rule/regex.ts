import { createRequire } from 'node:module'
import type * as Re2 from 're2js'
import { regexIssueBy } from '#contract/rule/regexIssue.ts'

let library: typeof Re2 | undefined
/** Loaded at the first expression: it takes 25 ms, and most channels have none. */
const re2 = () => (library ??= createRequire(import.meta.url)('re2js') as typeof Re2)

/** The time of a match is linear in it. */
const maxTextLength = 2_048

/** What is wrong with a regular expression; undefined if it can be used. */
export const regexIssue = regexIssueBy((pattern) => re2().RE2JS.compile(pattern).programSize())

/** Whether a text matches anywhere. A text of more than 2,048 characters matches nothing. */
export function compileRegex(pattern: string): (text: string) => boolean {
  try {
    const compiled = re2().RE2JS.compile(pattern)
    return (text) => text.length <= maxTextLength && compiled.test(text)
  } catch {
    return () => false // the API refuses it
  }
}
