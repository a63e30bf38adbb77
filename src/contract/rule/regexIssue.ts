import type { RegexIssue } from './filterIssues.ts'

/**
 * The time of a match is linear in the instructions and in the text. With this many instructions, a match takes at most
 * about 1 ms. An expression for URLs has about 30.
 */
const maxInstructions = 200

/** The problem with a regular expression for RE2. `sizeOf` compiles it and counts its instructions. */
export const regexIssueBy =
  (sizeOf: (pattern: string) => number): RegexIssue =>
  (pattern) => {
    try {
      return sizeOf(pattern) > maxInstructions ? 'is too complex: write it shorter or without repeat counts' : undefined
    } catch (error) {
      const message = error instanceof Error ? error.message.replace(/^error parsing regexp: /, '').slice(0, 100) : ''
      return `is not an RE2 regular expression (no look-around, no back-references): ${message}`
    }
  }
