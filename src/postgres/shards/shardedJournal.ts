import { askAll, firstFound, runAll } from '#kit/fanOut.ts'
import type { ExchangePack } from '#store/deliveryQueries.ts'
import { type DeliveryOutcome, type DueDelivery, type Journal, priorities } from '#store/journal.ts'
import type { WorkStore } from '#store/store.ts'
import { callsByTag, groupByTag, mapShards, type PerShard, runByTag } from './perShard.ts'
import { packsPerShard } from './shardList.ts'

const byPriority = (one: DueDelivery, other: DueDelivery) =>
  priorities.indexOf(one.priority) - priorities.indexOf(other.priority) || one.nextAt - other.nextAt

/** The store of the tag of an outcome. An outcome without an attempt may lack the tag. */
async function tagOf(outcome: DeliveryOutcome, parts: PerShard<WorkStore>): Promise<WorkStore | undefined> {
  const tagId = outcome.tagId ?? outcome.delivery?.tagId
  if (tagId !== undefined) return parts.ofTag(tagId)
  return firstFound(parts.all, async (part) => ((await part.replays.statusOf(outcome.deliveryId)) ? part : undefined))
}

type Settlement = { outcomes: DeliveryOutcome[]; packs: ExchangePack[]; places: Map<number, number> }

/** The outcomes of each shard. Their attempts refer to packs by the index in their shard's list. */
async function settlements(
  parts: PerShard<WorkStore>,
  outcomes: readonly DeliveryOutcome[],
  packs: readonly ExchangePack[],
): Promise<Map<WorkStore, Settlement>> {
  const groups = new Map<WorkStore, Settlement>()
  const groupOf = (part: WorkStore) => {
    const group: Settlement = groups.get(part) ?? { outcomes: [], packs: [], places: new Map() }
    groups.set(part, group)
    return group
  }
  for (const [part, own] of await groupByTag(parts, packs, ({ tagId }) => tagId)) {
    const group = groupOf(part)
    for (const { row, place } of own) group.places.set(place, group.packs.push(row) - 1)
  }
  for (const outcome of outcomes) {
    const part = await tagOf(outcome, parts)
    if (!part) continue
    const group = groupOf(part)
    const packed = outcome.attempt?.packed
    const moved = packed && { packed: { ...packed, pack: group.places.get(packed.pack)! } }
    group.outcomes.push(moved ? { ...outcome, attempt: { ...outcome.attempt!, ...moved } } : outcome)
  }
  return groups
}

export type RetainedJournal = Pick<Journal, 'nextKeptTag' | 'dropExpired'>

/** Drops expired rows of tags, one part after the other. The cursor begins with the number of the part. */
export const retentionOf = (parts: readonly RetainedJournal[]): RetainedJournal => ({
  async nextKeptTag(after) {
    const found = await Promise.all(parts.map((part) => part.nextKeptTag(after)))
    return found.filter((tagId) => tagId !== undefined).sort()[0]
  },
  async dropExpired(cutoffs, tagId, after = '0:') {
    const number = Number.parseInt(after, 10)
    const inner = after.slice(after.indexOf(':') + 1)
    const { dropped, next } = await parts[number]!.dropExpired(cutoffs, tagId, inner === '' ? undefined : inner)
    if (next !== undefined) return { dropped, next: `${number}:${next}` }
    return { dropped, ...(number + 1 < parts.length && { next: `${number + 1}:` }) }
  },
})

/** The journal of all shards. `control`: the journal of the control database, if it is not a shard. */
export function createShardedJournal(work: PerShard<WorkStore>, control?: RetainedJournal): Journal {
  const journals = mapShards(work, ({ journal }) => journal)
  const { all, ofTag, ofScript } = journals
  const ofPack = (no: number) => all[Math.floor(no / packsPerShard)]
  return {
    ...callsByTag(journals, 'event', 'eventsOf', 'firstEventOf', 'heldEvents', 'newestEvent', 'repeats', 'joins'),
    plan: (events) => runByTag(journals, events, (part, own) => part.plan(own)),
    nextDue: (afterMs) => askAll(all, (part) => part.nextDue(afterMs)),
    async due(requests, nowMs) {
      const found = await Promise.all(all.map((part) => part.due(requests, nowMs)))
      return requests.map(({ limit }, n) =>
        found
          .flatMap((lists) => lists[n]!)
          .sort(byPriority)
          .slice(0, limit),
      )
    },
    async overdue(scriptId, priority, before, limit) {
      const rows = await askAll(await ofScript(scriptId), (part) => part.overdue(scriptId, priority, before, limit))
      return rows.sort(byPriority).slice(0, limit)
    },
    markInFlight: (deliveries) => runAll(all, (part) => part.markInFlight(deliveries)),
    recoverInFlight: (nowMs, slots) => runAll(all, (part) => part.recoverInFlight(nowMs, slots)),
    async settle(outcomes, packs = []) {
      const groups = await settlements(work, outcomes, packs)
      await runAll(groups, ([part, own]) => part.journal.settle(own.outcomes, own.packs))
    },
    overdueHolds: async (nowMs, limit) =>
      (await askAll(all, (part) => part.overdueHolds(nowMs, limit))).slice(0, limit),
    release: (events) => runByTag(journals, events, (part, own) => part.release(own)),
    replay: (deliveries) => runByTag(journals, deliveries, (part, own) => part.replay(own)),
    nameUnreadable: (events) => runByTag(journals, events, (part, own) => part.nameUnreadable(own)),
    async pauses(scriptIds) {
      if (!scriptIds) return askAll(all, (part) => part.pauses())
      const owners = (await Promise.all(scriptIds.map(ofScript))).flat()
      return askAll([...new Set(owners)], (part) => part.pauses(scriptIds))
    },
    pause: async (pause) => (await ofTag(pause.tagId)).pause(pause),
    resume: async (scriptId) => runAll(await ofScript(scriptId), (part) => part.resume(scriptId)),
    async pendingCount() {
      const counts = await Promise.all(all.map((part) => part.pendingCount()))
      return counts.reduce((sum, count) => sum + count, 0)
    },
    exchangePack: async (no) => ofPack(no)?.exchangePack(no),
    async exchangePackRefs(events) {
      const groups = await groupByTag(journals, events, ({ tagId }) => tagId)
      return askAll([...groups], ([part, own]) => part.exchangePackRefs(own.map(({ row }) => row)))
    },
    replaceExchangePack: async (no, sealed) => ofPack(no)?.replaceExchangePack(no, sealed),
    neededPositions: async (from, to) =>
      (await askAll(all, (part) => part.neededPositions(from, to))).sort((one, other) => one - other),
    ...retentionOf(control ? [...all, control] : all),
  }
}
