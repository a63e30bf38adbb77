import type { ConsentMap } from '#contract/event.ts'
import { providerIds } from '#contract/providerIds.ts'
import { consentCategories } from '#contract/script.ts'

const providerNames: ReadonlySet<string> = new Set([...providerIds, 'all'])
const categoryNames: ReadonlySet<string> = new Set([...consentCategories, 'share_pii', 'all'])

/**
 * A consent map as a sender gave it, made safe to decide by and to keep in the journal: only names that can decide
 * anything, so that nothing personal hides in it, and `false` where the sender put something else than a boolean.
 * Null and absent are a map that was not given; any other thing that is no map is a map that refuses everything.
 */
export const providerMap = (given: unknown, scripts: readonly { name: string }[]): ConsentMap | undefined =>
  mapOf(
    given,
    (name) => providerNames.has(name),
    (entry) =>
      isMap(entry) ? switchesOf(entry, (name) => scripts.some((script) => script.name === name)) : entry === true,
  )

/** The same for categories, below which there are no scripts. */
export const categoryMap = (given: unknown): ConsentMap | undefined =>
  mapOf(
    given,
    (name) => categoryNames.has(name),
    (entry) => entry === true,
  )

type Entry = ConsentMap[string]

function mapOf(given: unknown, knows: (name: string) => boolean, read: (entry: unknown) => Entry) {
  if (given === undefined || given === null) return undefined
  if (!isMap(given)) return {}
  return Object.fromEntries(
    Object.entries(given)
      .filter(([name]) => knows(name))
      .map(([name, entry]): [string, Entry] => [name, read(entry)]),
  )
}

const switchesOf = (given: object, knows: (name: string) => boolean): Record<string, boolean> =>
  Object.fromEntries(
    Object.entries(given)
      .filter(([name]) => knows(name))
      .map(([name, entry]) => [name, entry === true]),
  )

const isMap = (given: unknown): given is object => typeof given === 'object' && given !== null && !Array.isArray(given)
