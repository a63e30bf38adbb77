import type { ConsentMap } from '#contract/event.ts'
import { isRecord } from '#contract/isRecord.ts'
import { providerIds } from '#contract/providerIds.ts'
import { consentCategories } from '#contract/script.ts'
import type { SnapshotScript } from '#script/snapshot.ts'

const providerNames: ReadonlySet<string> = new Set([...providerIds, 'all'])
const categoryNames: ReadonlySet<string> = new Set([...consentCategories, 'share_pii', 'ad_personalization', 'all'])

/**
 * Sanitizes a consent map from a sender. Keeps only known names, so that no personal data reaches the journal, and
 * turns a value that is not a boolean into `false`. Null and undefined mean that no map was sent. Any other value that
 * is not an object becomes an empty map, which refuses everything.
 */
export const readProviderMap = (
  given: unknown,
  scripts: readonly Pick<SnapshotScript, 'providerId' | 'name'>[],
): ConsentMap | undefined =>
  sanitizeMap(
    given,
    (name) => providerNames.has(name),
    // names of other providers' scripts have no effect, and would fill a profile
    (entry, provider) =>
      isRecord(entry)
        ? sanitizeScripts(entry, (name) => scripts.some((each) => each.providerId === provider && each.name === name))
        : entry === true,
  )

/** Sanitizes the map of categories in the same way. It has no script names. */
export const readCategoryMap = (given: unknown): ConsentMap | undefined =>
  sanitizeMap(
    given,
    (name) => categoryNames.has(name),
    (entry) => entry === true,
  )

type Entry = ConsentMap[string]

function sanitizeMap(
  given: unknown,
  isKnown: (name: string) => boolean,
  read: (entry: unknown, name: string) => Entry,
) {
  if (given === undefined || given === null) return undefined
  if (!isRecord(given)) return {}
  return Object.fromEntries(
    Object.entries(given)
      .filter(([name]) => isKnown(name))
      .map(([name, entry]): [string, Entry] => [name, read(entry, name)]),
  )
}

const sanitizeScripts = (given: object, isKnown: (name: string) => boolean): Record<string, boolean> =>
  Object.fromEntries(
    Object.entries(given)
      .filter(([name]) => isKnown(name))
      .map(([name, entry]) => [name, entry === true]),
  )
