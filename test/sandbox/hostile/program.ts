/**
 * A hostile program: the body of `async process({secrets, fetch, logger, keep}) {…}`. It returns, throws or logs all data
 * that it could read, which must not include data that it was not given.
 */
export type Hostile = {
  title: string
  body: string
  /** Another script of the same team that runs first, in the same child if possible. */
  before?: string
}

export const named = (programs: Readonly<Record<string, string>>): Hostile[] =>
  Object.entries(programs).map(([title, body]) => ({ title, body }))
