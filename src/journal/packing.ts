import type { Keyring } from '#account/keyring.ts'
import type { Log } from '#kit/log.ts'
import type { Snapshots } from '#script/snapshot.ts'
import type { Pack } from '#store/found.ts'
import type { AttemptRow, Journal, Settled } from '#store/store.ts'
import { sealPack } from './pack.ts'

type PackingWorld = {
  store: { journal: Journal }
  snapshots: Pick<Snapshots, 'get'>
  keys: Keyring
  log: Log
}
type Told = Settled & { attempt: AttemptRow }

const isFailed = ({ status }: Settled) => status !== 'delivered' && status !== 'simulated'
const has = (settled: Settled): settled is Told => (settled.attempt?.exchanges?.length ?? 0) > 0
const without = ({ exchanges: _, ...attempt }: AttemptRow): AttemptRow => attempt

/**
 * Writes outcomes with the bodies of their attempts: those of one tag packed together, and what failed apart from what went well,
 * because it is kept longer. Bodies that cannot be packed are left out; the outcome is written all the same.
 */
export function settlePacked(on: PackingWorld): Journal['settle'] {
  async function packOf(tagId: string, outcomes: readonly Told[]): Promise<Pack | undefined> {
    const teamId = on.snapshots.get(tagId)?.teamId
    if (teamId === undefined) return undefined
    try {
      const parts = outcomes.map(({ attempt }) => attempt.exchanges!)
      const sealed = await sealPack(parts, { tagId, teamId }, on.keys)
      return { tagId, failed: isFailed(outcomes[0]!), at: outcomes[0]!.attempt.at, sealed }
    } catch (error) {
      on.log({ level: 'error', message: 'bodies could not be packed', tagId, error })
      return undefined
    }
  }
  return async (outcomes) => {
    const packs: Pack[] = []
    const packed = new Map<Settled, NonNullable<AttemptRow['packed']>>()
    for (const group of Map.groupBy(outcomes.filter(has), (each) => `${each.tagId} ${isFailed(each)}`).values()) {
      const pack = await packOf(group[0]!.tagId ?? '', group)
      if (!pack) continue
      for (const [part, each] of group.entries()) packed.set(each, { pack: packs.length, part })
      packs.push(pack)
    }
    const written = outcomes.map((each) => {
      if (!each.attempt) return each
      const place = packed.get(each)
      return { ...each, attempt: { ...without(each.attempt), ...(place && { packed: place }) } }
    })
    return on.store.journal.settle(written, packs)
  }
}
