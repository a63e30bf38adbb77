import type { Keyring } from '#account/keyring.ts'
import type { Log } from '#kit/log.ts'
import type { Snapshots } from '#script/snapshot.ts'
import type { ExchangePack } from '#store/deliveryQueries.ts'
import type { AttemptRecord, DeliveryOutcome, Journal } from '#store/store.ts'
import { sealPack } from './exchangePack.ts'

type SettleWithPacksDeps = {
  store: { journal: Journal }
  snapshots: Pick<Snapshots, 'get'>
  keys: Keyring
  log: Log
}
type OutcomeWithExchanges = DeliveryOutcome & { attempt: AttemptRecord }

const isFailed = ({ status }: DeliveryOutcome) => status !== 'delivered' && status !== 'simulated'
const hasExchanges = (outcome: DeliveryOutcome): outcome is OutcomeWithExchanges =>
  (outcome.attempt?.exchanges?.length ?? 0) > 0
const withoutExchanges = ({ exchanges: _, ...attempt }: AttemptRecord): AttemptRecord => attempt

/**
 * Writes outcomes with the bodies of their attempts in packs: one pack per tag for failures and one for successes,
 * because failures are kept longer. If bodies cannot be packed, the outcome is written without them.
 */
export function settleWithPacks(deps: SettleWithPacksDeps): Journal['settle'] {
  async function packOf(tagId: string, outcomes: readonly OutcomeWithExchanges[]): Promise<ExchangePack | undefined> {
    const teamId = deps.snapshots.get(tagId)?.teamId
    if (teamId === undefined) return undefined
    try {
      const parts = outcomes.map(({ attempt }) => attempt.exchanges!)
      const sealed = await sealPack(parts, { tagId, teamId }, deps.keys)
      return { tagId, failed: isFailed(outcomes[0]!), at: outcomes[0]!.attempt.at, sealed }
    } catch (error) {
      deps.log({ level: 'error', message: 'could not pack the bodies of attempts', tagId, error })
      return undefined
    }
  }
  return async (outcomes) => {
    const packs: ExchangePack[] = []
    const packed = new Map<DeliveryOutcome, NonNullable<AttemptRecord['packed']>>()
    for (const group of Map.groupBy(
      outcomes.filter(hasExchanges),
      (each) => `${each.tagId} ${isFailed(each)}`,
    ).values()) {
      const pack = await packOf(group[0]!.tagId ?? '', group)
      if (!pack) continue
      for (const [part, each] of group.entries()) packed.set(each, { pack: packs.length, part })
      packs.push(pack)
    }
    const written = outcomes.map((each) => {
      if (!each.attempt) return each
      const location = packed.get(each)
      return { ...each, attempt: { ...withoutExchanges(each.attempt), ...(location && { packed: location }) } }
    })
    return deps.store.journal.settle(written, packs)
  }
}
