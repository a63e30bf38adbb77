import { type StandardEvent, standardEvents } from '#contract/standardEvents.ts'

/** Every standard event under its own name: for vendors that use our names. */
export const standardEventNames = Object.fromEntries(
  Object.keys(standardEvents).map((name) => [name, name]),
) as Readonly<Record<StandardEvent, string>>
