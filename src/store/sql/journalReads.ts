import type { DeliveryStatus } from '#contract/deliveryStatus.ts'
import type { JournalQueries } from '#store/journalQueries.ts'
import { readChannelFigures } from './channelFigures.ts'
import { readStats, readTeamCounts } from './countReads.ts'
import { findDeliveries, findEvents } from './deliverySearch.ts'
import type { Dialect } from './dialect.ts'
import { listEventsOfUser } from './eventListReads.ts'
import { readFunnel } from './funnel.ts'
import { readIntake, readMatches } from './intakeReads.ts'
import { createOrderReads } from './orderQueries.ts'
import type { Read, ReadsOf } from './read.ts'
import { type ReadNewEvents, readChanges } from './watch.ts'

type StatusCounts = Record<string, Partial<Record<DeliveryStatus, number>>>

/** The deliveries of replays by script and status. */
function readReplayed({ idOf, isRefOf }: Dialect) {
  const select = `
    SELECT ${idOf('delivery.replay', 'replay')} AS replay_id, ${idOf('script')} AS script_id, status, count(*) AS count
    FROM delivery WHERE replay IS NOT NULL AND ${isRefOf('replay', '?1', 'replay')} GROUP BY replay, status, script`
  return function* (_tagId: string, replayIds: readonly string[]): Read<StatusCounts[]> {
    const counts = new Map(replayIds.map((id): [string, StatusCounts] => [id, {}]))
    for (const { replay_id, script_id, status, count } of yield [select, JSON.stringify(replayIds)]) {
      const ofReplay = counts.get(String(replay_id))!
      ofReplay[String(script_id)] = { ...ofReplay[String(script_id)], [String(status)]: Number(count) }
    }
    return replayIds.map((id) => counts.get(id)!)
  }
}

/** The queries whose statements are the same on both databases. */
export const createJournalReads = (dialect: Dialect, readNewEvents: ReadNewEvents): ReadsOf<JournalQueries> => ({
  deliveries: findDeliveries(dialect),
  events: findEvents(dialect),
  channels: readChannelFigures(dialect),
  funnel: readFunnel(dialect),
  watch: readChanges(dialect, readNewEvents),
  stats: readStats(dialect),
  teamCounts: readTeamCounts(dialect),
  intake: readIntake(dialect),
  matches: readMatches(dialect),
  eventsOf: listEventsOfUser(dialect),
  replayed: readReplayed(dialect),
  ...createOrderReads(dialect),
})
