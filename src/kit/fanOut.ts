/** Asks all parts and concatenates their rows. Rejects if one of them does. */
export const askAll = async <Part, Row>(
  parts: readonly Part[],
  ask: (part: Part) => Promise<readonly Row[]>,
): Promise<Row[]> => (await Promise.all(parts.map(ask))).flat()

/** Runs work on each part. After all of it has ended, throws the first error, if any. */
export async function runAll<Part>(parts: Iterable<Part>, run: (part: Part) => Promise<unknown>): Promise<void> {
  const results = await Promise.allSettled([...parts].map(run))
  for (const each of results) if (each.status === 'rejected') throw each.reason
}

/** The first answer that is not undefined. Rejects if there is none and a part has failed. */
export async function firstFound<Part, Found>(
  parts: readonly Part[],
  ask: (part: Part) => Promise<Found | undefined>,
): Promise<Found | undefined> {
  const results = await Promise.allSettled(parts.map(ask))
  for (const each of results) if (each.status === 'fulfilled' && each.value !== undefined) return each.value
  for (const each of results) if (each.status === 'rejected') throw each.reason
  return undefined
}
