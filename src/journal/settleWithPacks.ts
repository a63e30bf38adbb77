import type { Keyring } from '#account/keyring.ts'
import type { Clock } from '#kit/clock.ts'
import type { Log } from '#kit/log.ts'
import { periodicYield } from '#kit/yieldToEventLoop.ts'
import type { Snapshots } from '#script/snapshot.ts'
import type { ExchangePack } from '#store/deliveryQueries.ts'
import type { AttemptRecord, DeliveryOutcome, Journal } from '#store/store.ts'
import type { Stream } from '#stream/stream.ts'
import type { RefusalLog } from '#user/refusalLog.ts'
import { sealPack } from './exchangePack.ts'

type SettleWithPacksDeps = {
  store: { journal: Journal }
  snapshots: Pick<Snapshots, 'get'>
  keys: Keyring
  log: Log
  clock: Pick<Clock, 'now'>
  stream: Pick<Stream, 'rewritten'>
  profiles: { refusals: Pick<RefusalLog, 'erased'> }
}
type OutcomeWithExchanges = DeliveryOutcome & { attempt: AttemptRecord }

const isFailed = ({ status }: DeliveryOutcome) => status !== 'delivered' && status !== 'simulated'
const hasExchanges = (outcome: DeliveryOutcome): outcome is OutcomeWithExchanges =>
  (outcome.attempt?.exchanges?.length ?? 0) > 0
const withoutTexts = ({ message: _, exchanges: __, ...attempt }: AttemptRecord): AttemptRecord => attempt

/**
 * Whether somebody was erased while an attempt was in flight. The vendor's response may repeat data of that person, and
 * the erasure searched the stored texts earlier. Call this directly before the write, so that a later erasure finds the
 * written texts.
 */
function openErasureWatch({ clock, stream, profiles }: Pick<SettleWithPacksDeps, 'clock' | 'stream' | 'profiles'>) {
  const erasures = () => stream.rewritten() + profiles.refusals.erased()
  let known = erasures()
  let lastAt = Number.NEGATIVE_INFINITY
  return (attempt: AttemptRecord): boolean => {
    if (erasures() !== known) {
      known = erasures()
      lastAt = clock.now()
    }
    return attempt.at <= lastAt
  }
}

/** The maximum bytes of exchanges in one pack. Packing or opening a longer one would block the thread. */
const maxPackLength = 256 * 1024

const lengthOf = ({ attempt }: OutcomeWithExchanges): number =>
  attempt.exchanges!.reduce((sum, { length }) => sum + length, 0)

function inPacks(outcomes: readonly OutcomeWithExchanges[]): OutcomeWithExchanges[][] {
  const groups: OutcomeWithExchanges[][] = []
  let length = Number.POSITIVE_INFINITY
  for (const each of outcomes) {
    const own = lengthOf(each)
    length += own
    if (length > maxPackLength) {
      groups.push([])
      length = own
    }
    groups.at(-1)!.push(each)
  }
  return groups
}

/**
 * Writes outcomes with the bodies of their attempts in packs: one pack per tag for failures and one for successes,
 * because failures are kept longer. If bodies cannot be packed, the outcome is written without them.
 */
export function settleWithPacks(deps: SettleWithPacksDeps): Journal['settle'] {
  const wasErasedSince = openErasureWatch(deps)
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
  const withoutErased = (outcome: DeliveryOutcome): DeliveryOutcome =>
    outcome.attempt && wasErasedSince(outcome.attempt)
      ? { ...outcome, attempt: withoutTexts(outcome.attempt) }
      : outcome
  const mayNameErased = ({ attempt }: DeliveryOutcome): boolean =>
    (attempt?.message !== undefined || attempt?.exchanges !== undefined) && wasErasedSince(attempt)

  return async function settle(given): Promise<void> {
    const outcomes = given.map(withoutErased)
    const packs: ExchangePack[] = []
    const packed = new Map<DeliveryOutcome, NonNullable<AttemptRecord['packed']>>()
    const groups = Map.groupBy(outcomes.filter(hasExchanges), (each) => `${each.tagId} ${isFailed(each)}`)
    const yieldIfDue = periodicYield(deps.clock)
    for (const group of [...groups.values()].flatMap(inPacks)) {
      await yieldIfDue()
      const pack = await packOf(group[0]!.tagId ?? '', group)
      if (!pack) continue
      for (const [part, each] of group.entries()) packed.set(each, { pack: packs.length, part })
      packs.push(pack)
    }
    if (outcomes.some(mayNameErased)) return settle(outcomes) // somebody was erased during the packing
    // The store keeps no `exchanges`: they are in the packs.
    const written = outcomes.map((each) => {
      const location = packed.get(each)
      return each.attempt && location ? { ...each, attempt: { ...each.attempt, packed: location } } : each
    })
    return deps.store.journal.settle(written, packs)
  }
}
