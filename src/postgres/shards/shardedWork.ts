import { askAll, firstFound, runAll } from '#kit/fanOut.ts'
import { type JournalQueries, queryNames } from '#store/journalQueries.ts'
import type { OrderStore } from '#store/orders.ts'
import type { ReplayRecord, ReplayStore } from '#store/replays.ts'
import type { WorkStore } from '#store/store.ts'
import type { UserStore, UserWrite } from '#store/users.ts'
import type { RunStore } from '#store/webhookRuns.ts'
import { callsByTag, groupByTag, mapShards, type PerShard } from './perShard.ts'

const byCreation = (one: ReplayRecord, other: ReplayRecord) => one.createdAt - other.createdAt

export function createShardedReplays(work: PerShard<WorkStore>): ReplayStore {
  const replays = mapShards(work, (part) => part.replays)
  const { all, ofTag } = replays
  const get = (replayId: string) => firstFound(all, (part) => part.get(replayId))
  /** The part with a replay. */
  async function ownerOf(replayId: string): Promise<ReplayStore | undefined> {
    const replay = await get(replayId)
    return replay && ofTag(replay.tagId)
  }
  return {
    get,
    ...callsByTag(replays, 'list', 'candidates'),
    unfinished: async () => (await askAll(all, (part) => part.unfinished())).sort(byCreation),
    saveProgress: async (replayId, step) => (await ownerOf(replayId))?.saveProgress(replayId, step),
    revertPending: async (replayId) => (await ownerOf(replayId))?.revertPending(replayId),
    statusOf: (deliveryId) => firstFound(all, (part) => part.statusOf(deliveryId)),
    pendingByScript: async (replayId, limit) =>
      (await (await ownerOf(replayId))?.pendingByScript(replayId, limit)) ?? {},
  }
}

export function createShardedRuns(work: PerShard<WorkStore>): RunStore {
  const { all, ofTag, ofScript } = mapShards(work, ({ runs }) => runs)
  return {
    async list(scriptId, page) {
      const lists = await Promise.all((await ofScript(scriptId)).map((part) => part.list(scriptId, page)))
      return lists.find(({ rows }) => rows.length > 0) ?? lists[0]!
    },
    ofEvent: async (tagId, keys) => (await ofTag(tagId)).ofEvent(tagId, keys),
    hasOlder: async (before) => (await Promise.all(all.map((part) => part.hasOlder(before)))).includes(true),
  }
}

export function createShardedOrders(work: PerShard<WorkStore>): OrderStore {
  const orders = mapShards(work, (part) => part.orders)
  const { all, ofTag } = orders
  return {
    ...callsByTag(orders, 'owners', 'find', 'payloads', 'payloadsOf'),
    nextTag: async (after) => (await Promise.all(all.map((part) => part.nextTag(after)))).filter(isText).sort()[0],
    hasOlder: async (of) => (await ofTag(of.tagId)).hasOlder(of),
  }
}

const isText = (text: string | undefined): text is string => text !== undefined

/** `groupOf`: the number of the shard of a tag, if it is known already. */
export function createShardedUsers(work: PerShard<WorkStore>, groupOf: (tagId: string) => number): UserStore {
  const users = mapShards(work, (part) => part.users)
  const { all } = users
  return {
    groupOf,
    ...callsByTag(users, 'getMany', 'get', 'byEmail', 'byEmails', 'byCustom', 'usersAfter'),
    async put(writes) {
      const results: boolean[] = []
      await runAll(
        await groupByTag<UserStore, UserWrite>(users, writes, ({ user }) => user.tagId),
        async ([part, own]) => {
          const written = await part.put(own.map(({ row }) => row))
          for (const [n, { place }] of own.entries()) results[place] = written[n]!
        },
      )
      return results
    },
    nextTag: async (after) => (await Promise.all(all.map((part) => part.nextTag(after)))).filter(isText).sort()[0],
    unseen: async (tagId, before, limit) =>
      (await askAll(all, (part) => part.unseen(tagId, before, limit))).slice(0, limit),
    deleteCrowded: (seenBefore) => runAll(all, (part) => part.deleteCrowded(seenBefore)),
  }
}

/** The slow queries of a team. */
export function createShardedQueries(work: PerShard<WorkStore>, teamId: string): JournalQueries {
  const queries = mapShards(work, (part) => part.queries(teamId))
  return {
    ...callsByTag(queries, ...queryNames),
    async teamCounts(tagIds, request) {
      const groups = await groupByTag(queries, tagIds, (tagId) => tagId)
      const counts = await askAll([...groups], ([part, own]) =>
        part.teamCounts(
          own.map(({ row }) => row),
          request,
        ),
      )
      const byTag = new Map(counts.map((each) => [each.tagId, each]))
      return tagIds.flatMap((tagId) => byTag.get(tagId) ?? [])
    },
  }
}
