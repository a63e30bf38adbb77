/** Asks all parts, and adds up the rows that they return. Rejects if one of them does. */
export const askAll = async <Part, Row>(
  parts: readonly Part[],
  ask: (part: Part) => Promise<readonly Row[]>,
): Promise<Row[]> => (await Promise.all(parts.map(ask))).flat()

/** Runs work on each part. All of it has ended when this rejects with the first error. */
export async function runAll<Part>(parts: Iterable<Part>, run: (part: Part) => Promise<unknown>): Promise<void> {
  const results = await Promise.allSettled([...parts].map(run))
  for (const each of results) if (each.status === 'rejected') throw each.reason
}

/** The answer of the part that has what is asked for. Rejects if none has it and one of them cannot answer. */
export async function firstFound<Part, Found>(
  parts: readonly Part[],
  ask: (part: Part) => Promise<Found | undefined>,
): Promise<Found | undefined> {
  const results = await Promise.allSettled(parts.map(ask))
  for (const each of results) if (each.status === 'fulfilled' && each.value !== undefined) return each.value
  for (const each of results) if (each.status === 'rejected') throw each.reason
  return undefined
}
