import type { Journal } from '#store/journal.ts'
import type { EventRef } from '#store/plannedEvent.ts'
import { isOfPlace, joinEvent, placeRows, placesParam } from './deliveryReads.ts'
import { packRef, readEventRef, readJoin } from './deliveryRows.ts'
import type { Dialect } from './dialect.ts'
import { listEventsOfUser, readFirstEventOf } from './eventListReads.ts'
import { readRepeats } from './intakeReads.ts'
import type { Read, ReadsOf } from './read.ts'
import { withoutNulls } from './rowMappings.ts'

/** The newest event of a tag. */
export function readNewestEvent({ ref }: Dialect) {
  const select = `
    SELECT position, idx FROM event WHERE tag = ${ref('?1')} ORDER BY tag DESC, position DESC, idx DESC LIMIT 1`
  return function* (tagId: string): Read<EventRef | undefined> {
    const [row] = yield [select, tagId]
    return row && readEventRef(row, tagId)
  }
}

type Lookups = Pick<
  Journal,
  | ('newestEvent' | 'repeats' | 'exchangePack' | 'joins' | 'exchangePackRefs' | 'neededPositions')
  | ('eventsOf' | 'firstEventOf')
>

export function createLookups(dialect: Dialect): ReadsOf<Lookups> {
  const { idOf, ref, delivery } = dialect
  const selectPack = `SELECT ${idOf('bodies.tag')} AS tag_id, sealed FROM bodies WHERE no = ?1`
  const pack = (of: string) => `${delivery.id} AS id, ${of}.bodies AS no, ${of}.part`
  const packsOf = (of: string, join = '', isJoined = '') => `
    SELECT ${pack(of)} FROM ${placeRows(dialect, '?1')} CROSS JOIN delivery ${joinEvent(dialect)} ${join}
    WHERE ${isOfPlace} ${isJoined} AND ${of}.bodies IS NOT NULL`
  const ofAttempts = packsOf('attempt', 'CROSS JOIN attempt', `AND ${delivery.isOfAttempt}`)
  const selectPackRefs = `${packsOf('delivery')} UNION ALL ${ofAttempts}`
  const selectJoins = `
    SELECT ${pack('attempt')}, attempt.number FROM attempt CROSS JOIN delivery ${joinEvent(dialect)}
    WHERE attempt.joined = ?1 AND ${delivery.isOfAttempt} AND delivery.tag = ${ref('?2')} LIMIT ?3`
  const selectNeeded = `
    SELECT DISTINCT position FROM delivery
    WHERE position BETWEEN ?1 AND ?2 AND status IN ('pending', 'held', 'dead', 'refused')
      AND (reason IS NULL OR reason <> 'erased') ORDER BY position`
  return {
    newestEvent: readNewestEvent(dialect),
    repeats: readRepeats(dialect),
    eventsOf: listEventsOfUser(dialect),
    firstEventOf: readFirstEventOf(dialect),
    *exchangePack(no) {
      const [row] = yield [selectPack, no]
      return row && withoutNulls<{ tagId: string; sealed: Uint8Array }>({ tagId: row.tag_id, sealed: row.sealed })
    },
    *joins(tagId, userId, limit) {
      return (yield [selectJoins, userId, tagId, limit]).map(readJoin)
    },
    *exchangePackRefs(events) {
      const places = events.map(({ position, index }) => ({ position, idx: index }))
      return (yield [selectPackRefs, placesParam(places)]).map(packRef.read)
    },
    *neededPositions(from, to) {
      return (yield [selectNeeded, from, to]).map(({ position }) => Number(position))
    },
  }
}
