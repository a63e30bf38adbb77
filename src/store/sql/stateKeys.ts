import { statuses as allStatuses } from '#contract/deliveryStatus.ts'
import type { DeliveryFilter } from '#store/deliveryQueries.ts'
import type { Dialect, StateKey } from './dialect.ts'
import type { Read } from './read.ts'

/** A FROM item with the keys of a JSON array. */
export const keyRows = ({ tuples }: Dialect, param: string): string =>
  tuples(param, 'state', { script: 'ref', status: 'text', reason: 'text' })

/** The condition that the index of states covers a delivery. */
export const isRanked = ({ delivery }: Dialect): string =>
  delivery.ranksDelivered ? '' : `AND delivery.status <> 'delivered'`

/** Loose index scans: they seek from one script, and one reason, to the next. */
export function scanStates(dialect: Dialect) {
  const { elements, ref, refsOf } = dialect
  const ofTag = `FROM delivery WHERE delivery.tag = ${ref('?1')} ${isRanked(dialect)}`
  const nextScript = (condition: string) => `(SELECT script ${ofTag} ${condition} ORDER BY script LIMIT 1)`
  const allScripts = `
    SELECT ${nextScript('')} UNION ALL
    SELECT ${nextScript('AND delivery.script > own.script')} FROM own WHERE own.script IS NOT NULL`
  const inState = (of: string, status: string) => `${ofTag} AND delivery.script = ${of} AND delivery.status = ${status}`
  const nextReason = (from: string, condition: string) =>
    `(SELECT delivery.reason ${from} AND ${condition} ORDER BY delivery.reason LIMIT 1)`
  const ofPair = inState('own.script', 'wanted.value')
  const pairs = `FROM own CROSS JOIN (${elements('?2')}) AS wanted WHERE own.script IS NOT NULL`
  /**
   * `scripts`: a query of the keys of scripts, which may end with null. Without EXISTS, for which PostgreSQL would read
   * the whole tag.
   */
  const selectKeys = (scripts: string) => `
    WITH RECURSIVE own (script) AS (${scripts}),
    found (script, status, reason) AS (
      SELECT own.script, wanted.value, ${nextReason(ofPair, 'delivery.reason IS NOT NULL')} ${pairs}
      UNION ALL
      SELECT script, status, ${nextReason(inState('found.script', 'found.status'), 'delivery.reason > found.reason')}
      FROM found WHERE reason IS NOT NULL
    )
    SELECT script, status, reason FROM found WHERE reason IS NOT NULL
    UNION ALL
    SELECT own.script, wanted.value, NULL ${pairs} AND (SELECT 1 ${ofPair} AND delivery.reason IS NULL LIMIT 1) = 1`
  const [selectAll, selectSome] = [selectKeys(allScripts), selectKeys(`SELECT script FROM (${refsOf('?3')}) AS refs`)]

  /** The keys that match the filter, for these scripts or by default for all scripts of the tag. */
  return function* (
    tagId: string,
    { statuses = allStatuses, reasons }: Pick<DeliveryFilter, 'statuses' | 'reasons'>,
    scriptIds?: readonly string[],
  ): Read<StateKey[]> {
    const wanted = JSON.stringify(statuses)
    const rows = scriptIds
      ? yield [selectSome, tagId, wanted, JSON.stringify(scriptIds)]
      : yield [selectAll, tagId, wanted]
    const keys = rows.map(({ script, status, reason }) => [script, status, reason] as unknown as StateKey)
    return keys.filter(([, , reason]) => reasons?.some((each) => each === reason) ?? true)
  }
}
