/**
 * A program that means harm: the body of `async process({secrets, fetch, logger, keep}) {…}`. What it finds out it
 * returns, throws or logs, and none of it may be what it was not given.
 */
export type Hostile = {
  title: string
  body: string
  /** Another script of the same team that runs before, in the same child where that is possible. */
  before?: string
  /** It runs until it is stopped by the clock of the wall. */
  isSlow?: true
}

export const named = (programs: Readonly<Record<string, string>>): Hostile[] =>
  Object.entries(programs).map(([title, body]) => ({ title, body }))
