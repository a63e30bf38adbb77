import { createRequire } from 'node:module'
import type * as Re2 from 're2js'

let library: typeof Re2 | undefined
/** Loaded at the first expression: it takes 25 ms, and most channels have none. */
const re2 = () => (library ??= createRequire(import.meta.url)('re2js') as typeof Re2)

/**
 * The time of a match is linear in both. With them an expression takes about 1 ms at most; an expression for URLs has
 * about 30 instructions.
 */
const maxInstructions = 200
const maxTextLength = 2_048

/** What is wrong with a regular expression; undefined if it can be used. */
export function regexIssue(pattern: string): string | undefined {
  try {
    const compiled = re2().RE2JS.compile(pattern)
    return compiled.programSize() > maxInstructions
      ? 'is too complex: write it shorter or without repeat counts'
      : undefined
  } catch (error) {
    const message = error instanceof Error ? error.message.replace(/^error parsing regexp: /, '').slice(0, 100) : ''
    return `is no regular expression of RE2, which has no look-around and no back-references: ${message}`
  }
}

/** Whether a text matches anywhere. A text of more than 2,048 characters matches nothing. */
export function compileRegex(pattern: string): (text: string) => boolean {
  try {
    const compiled = re2().RE2JS.compile(pattern)
    return (text) => text.length <= maxTextLength && compiled.test(text)
  } catch {
    return () => false // the API refuses it
  }
}
