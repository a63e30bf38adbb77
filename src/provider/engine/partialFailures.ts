import { parseJson } from '#kit/json.ts'
import type { PartialFailure } from '#provider/form/batch.ts'
import type { Provider } from '#provider/form/provider.ts'
import type { RequestBatch } from './buildBatches.ts'
import { type Judgement, judgementOf, responseLine } from './judgement.ts'
import type { SendResult } from './send.ts'

/** The judgements of events that differ from the judgement of the whole response, by the index in `eventIndexes`. */
export type EventJudgements = ReadonlyMap<number, Judgement>
const noJudgements: EventJudgements = new Map()

/** The JSON body of the request. Undefined if there is none. */
function sentValue({ request }: RequestBatch): unknown {
  try {
    return parseJson(request.body ?? '')
  } catch {
    return undefined
  }
}

/** The event of a row. Undefined if the request has no such row. */
function eventOfRow({ row, list }: PartialFailure, { eventIndexes, rows }: RequestBatch): number | undefined {
  if (!rows) return eventIndexes[row] === undefined ? undefined : row
  const lists = Object.keys(rows)
  return rows[list ?? (lists.length === 1 ? lists[0]! : '')]?.[row]
}

/**
 * Judges the events of a batch whose rows the response lists as failed. `whole`: the judgement on the response. Empty
 * if the response does not distinguish rows.
 */
export function judgePartialFailures(
  { batch: spec }: Pick<Provider, 'batch'>,
  batch: RequestBatch,
  result: SendResult,
  whole: Judgement,
): EventJudgements {
  if (!spec?.partialFailures || !('status' in result)) return noJudgements
  if (batch.eventIndexes.length === 1 && !spec.isList?.(batch.request.body ?? '')) return noJudgements
  const { status, body } = result
  const judgeRow = ({ verdict, message }: PartialFailure): Judgement => {
    const judgement = verdict ? judgementOf(verdict) : whole.verdict === 'delivered' ? judgementOf('retry') : whole
    return message ? { ...judgement, message: responseLine(status, message) } : judgement
  }
  try {
    const judgements = new Map<number, Judgement>()
    for (const failure of spec.partialFailures(parseJson(body), sentValue(batch))) {
      const event = eventOfRow(failure, batch)
      if (event === undefined) return forUnknownRow(batch, whole)
      judgements.set(event, judgeRow(failure))
    }
    return judgements
  } catch {
    return noJudgements
  }
}

/** A failed row cannot be attributed to an event: all events are sent again, because losing one is worse. */
const forUnknownRow = ({ eventIndexes }: RequestBatch, { verdict }: Judgement): EventJudgements =>
  verdict === 'delivered' ? new Map(eventIndexes.map((_, event) => [event, judgementOf('retry')])) : noJudgements
