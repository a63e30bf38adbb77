import { type RawPart, sealRecord } from '#event/record.ts'
import { type Gathering, gather, type Waiting } from '#kit/gather.ts'
import type { Snapshot } from '#script/snapshot.ts'
import type { EdgeWorld } from './world.ts'

/** What one request brought, and the key of each of its events. */
export type Unit = { part: RawPart; keys: readonly bigint[] }

/** Keeps what a request brought, durably, and says of each event whether it is fresh. Rejects when it cannot be kept. */
export type Bundle = (tag: Snapshot, unit: Unit) => Promise<readonly boolean[]>

type Bundling = Gathering<Unit, readonly boolean[]>

/** A body of as many events, or of as many bytes, goes alone. */
const most = { events: 500, bytes: 64 * 1024 }

const weigh = ({ part, keys }: Unit) => Math.max(keys.length / most.events, part.body.length / most.bytes)

/** What comes to a tag while the disk is busy is kept as one record. */
export function bundler({ stream, keys }: Pick<EdgeWorld, 'stream' | 'keys'>): Bundle {
  const tags = new WeakMap<Snapshot, Bundling>()

  function bundlingOf({ tagId, teamId }: Snapshot): Bundling {
    const work = async (group: readonly Waiting<Unit, readonly boolean[]>[]) => {
      const parts = group.map(({ unit }) => unit.part)
      const fresh = await stream.append({
        tagId,
        payload: sealRecord(parts, { tagId, teamId }, keys),
        keys: group.flatMap(({ unit }) => unit.keys),
      })
      let first = 0
      for (const { unit, resolve } of group) {
        resolve(fresh.slice(first, first + unit.keys.length))
        first += unit.keys.length
      }
    }
    return gather(work, { limit: 1, weigh })
  }
  return (tag, unit) => {
    const bundling = tags.get(tag) ?? bundlingOf(tag)
    tags.set(tag, bundling)
    return bundling.add(unit)
  }
}
