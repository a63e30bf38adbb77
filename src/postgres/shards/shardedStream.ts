import { firstFound, runAll } from '#kit/fanOut.ts'
import type { SharedStream } from '#stream/sharedStream.ts'

type ShardedStreamDeps = {
  /** In the order of their numbers. */
  streams: readonly SharedStream[]
  shardOfTag(tagId: string): Promise<number>
  shardOfPosition(position: number): number
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, each) => total + each, 0)

/** The streams of all shards. A worker leases from the stream of its own shard. */
export function openShardedStream({ streams, shardOfTag, shardOfPosition }: ShardedStreamDeps): SharedStream {
  const ofPosition = (position: number) => streams[shardOfPosition(position)]
  return {
    append: async (entry) => streams[await shardOfTag(entry.tagId)]!.append(entry),
    ...(streams[0]?.slotFor && { slotFor: streams[0].slotFor }),
    lease: async () => {
      throw new Error('a worker leases from the stream of its own shard')
    },
    async settle(positions) {
      const groups = Map.groupBy(positions, shardOfPosition)
      await runAll(groups, async ([shard, own]) => streams[shard]?.settle(own))
    },
    read: async (position) => ofPosition(position)?.read(position),
    rewrite: async (position, change) => ofPosition(position)?.rewrite(position, change),
    rewritten: () => sum(streams.map((each) => each.rewritten())),
    find: (key) => firstFound(streams, (each) => each.find(key)),
    waiting: async () => sum(await Promise.all(streams.map((each) => each.waiting()))),
    trim: (beforeMs, guard) => runAll(streams, (each) => each.trim(beforeMs, guard)),
    forgetSlots(slots) {
      for (const each of streams) each.forgetSlots(slots)
    },
    slotsGained(slots) {
      for (const each of streams) each.slotsGained(slots)
    },
    noteRewritten() {
      for (const each of streams) each.noteRewritten()
    },
    close: () => runAll(streams, (each) => each.close()),
  }
}
