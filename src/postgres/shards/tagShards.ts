import type { Snapshot } from '#store/snapshot.ts'

/** Reads the shards of tags from the control database. */
export type ShardReads = {
  /** The shard of a tag; undefined if there is no such tag. */
  shardOfTag(tagId: string): Promise<number | undefined>
  /** The number of tags of each shard that has tags. */
  tagCounts(): Promise<ReadonlyMap<number, number>>
  tagOfScript(scriptId: string): Promise<string | undefined>
}

/** The shards of tags. A tag never moves, so a shard that was read once stays valid. */
export type TagShards = ReturnType<typeof openTagShards>

/** `count`: the number of shards. */
export function openTagShards(reads: ShardReads, count: number) {
  const shards = new Map<string, number>()
  const tags = new Map<string, string>()

  /** Returns the first shard for a tag that does not exist. */
  async function ofTag(tagId: string): Promise<number> {
    const known = shards.get(tagId)
    if (known !== undefined) return known
    const read = await reads.shardOfTag(tagId)
    if (read !== undefined) shards.set(tagId, read)
    return read ?? 0
  }
  return {
    ofTag,
    /** Returns the shard if it is known already, else 0. */
    known: (tagId: string) => shards.get(tagId) ?? 0,
    /** Undefined for an unknown script. */
    async ofScript(scriptId: string): Promise<number | undefined> {
      const tagId = tags.get(scriptId) ?? (await reads.tagOfScript(scriptId))
      return tagId === undefined ? undefined : ofTag(tagId)
    },
    learn({ tagId, shard = 0, scripts }: Snapshot): void {
      shards.set(tagId, shard)
      for (const { scriptId } of scripts) tags.set(scriptId, tagId)
    },
    /** The shard for a new tag: the one with the fewest tags, and the newest if several have the fewest. */
    async choose(): Promise<number> {
      const counts = await reads.tagCounts()
      const numbers = Array.from({ length: count }, (_, number) => number)
      const fewest = Math.min(...numbers.map((number) => counts.get(number) ?? 0))
      return numbers.findLast((number) => (counts.get(number) ?? 0) === fewest)!
    },
  }
}
