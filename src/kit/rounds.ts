/** A part of the work of a group. `after`: where its next slice begins. */
type StartedRound = { id: string; after?: string }

type Rounds = {
  /** The part after this one and its group; undefined after the last one. */
  next(after: string): Promise<{ id: string; group: string } | undefined>
  /** Does a slice of a part. Returns where the next one begins; undefined if the part is done. */
  runSlice(id: string, after: string | undefined): Promise<string | undefined>
  /** The pause after each slice, for other writers. */
  rest(): Promise<void>
  /** A slice of this group failed. The rest of the group is abandoned. */
  failed(group: string, error: unknown): void
}

/** The slices of a group in each round, and the parts that begin in each round. */
const slicesPerRound = 4
const partsPerRound = 1_000

/**
 * Does work in rounds. In each round, a group gets a few slices, which its parts take in turns, so a group with much
 * work delays another one by these slices only. `first`: parts that begin before others, each a group of its own.
 */
export async function runRounds(
  { next, runSlice, rest, failed }: Rounds,
  signal: AbortSignal,
  first: readonly string[] = [],
): Promise<void> {
  const groups = new Map<string, StartedRound[]>(first.map((id) => [id, [{ id }]]))
  let last: string | undefined = ''

  async function beginParts(): Promise<void> {
    for (let n = 0; n < partsPerRound && last !== undefined && !signal.aborted; n++) {
      const found: Awaited<ReturnType<Rounds['next']>> = await next(last)
      last = found?.id
      if (!found) return
      const parts = groups.get(found.group)
      if (parts) parts.push({ id: found.id })
      else groups.set(found.group, [{ id: found.id }])
    }
  }
  async function runTurn(parts: StartedRound[]): Promise<void> {
    for (let n = 0; n < slicesPerRound && parts.length > 0 && !signal.aborted; n++) {
      const { id, after } = parts.shift()!
      const begin = await runSlice(id, after)
      if (begin !== undefined) parts.push({ id, after: begin })
      await rest()
    }
  }
  while ((last !== undefined || groups.size > 0) && !signal.aborted) {
    await beginParts()
    for (const [group, parts] of groups) {
      await runTurn(parts).catch((error) => {
        failed(group, error)
        parts.length = 0
      })
      if (parts.length === 0) groups.delete(group)
    }
  }
}
