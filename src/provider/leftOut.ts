import { parseJson } from '#kit/json.ts'
import { type Judgement, lineOf, meaning } from './answer.ts'
import type { Batch } from './batch.ts'
import type { LeftOut, Provider } from './provider.ts'
import type { Answer } from './send.ts'

/** What became of the events that a call of many left out, by their places in `of`. */
export type Left = ReadonlyMap<number, Judgement>
const none: Left = new Map()

/** Whose a row is; undefined where the request has no such row. */
function placeOf({ row, list }: LeftOut, { of, rows }: Batch): number | undefined {
  if (!rows) return of[row] === undefined ? undefined : row
  const lists = Object.keys(rows)
  return rows[list ?? (lists.length === 1 ? lists[0]! : '')]?.[row]
}

/**
 * Which events of a call were not taken though others were, by an answer that names rows of the request. `whole` is what the
 * answer means for all. Nothing where it does not tell them apart.
 */
export function leftOut({ many }: Pick<Provider, 'many'>, batch: Batch, answer: Answer, whole: Judgement): Left {
  if (!many?.failed || batch.of.length === 1 || !('status' in answer)) return none
  const { status, body } = answer
  const judged = ({ is, says }: LeftOut): Judgement => {
    const means = is ? meaning(is) : whole.verdict === 'delivered' ? meaning('again') : whole
    return says ? { ...means, message: lineOf(status, says) } : means
  }
  try {
    const left = new Map<number, Judgement>()
    for (const each of many.failed(parseJson(body))) {
      const place = placeOf(each, batch)
      if (place === undefined) return unplaced(batch, whole)
      left.set(place, judged(each))
    }
    return left
  } catch {
    return none
  }
}

/** Something was left out, and nobody knows whose: what was called delivered is sent again sooner than lost. */
const unplaced = ({ of }: Batch, { verdict }: Judgement): Left =>
  verdict === 'delivered' ? new Map(of.map((_, place) => [place, meaning('again')])) : none
