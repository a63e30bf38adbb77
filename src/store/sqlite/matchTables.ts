import { matchSources } from '#contract/matchQuality.ts'
import type { Statement } from '#kit/writeBatch.ts'
import { hourMinutes, type MatchCount } from '#store/matchCounts.ts'
import { selectRef } from './refs.ts'

const minuteMs = 60_000
const hourOf = (ms: number) => Math.floor(ms / minuteMs / hourMinutes) * hourMinutes

const upsertCount = `
  INSERT INTO match_count (tag, minute, script, name, source, what, count)
  VALUES (${selectRef}, ?, ${selectRef}, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET count = count + excluded.count`
const upsertExample = `
  INSERT INTO match_example (tag, script, what, position, idx) VALUES (${selectRef}, ${selectRef}, ?, ?, ?)
  ON CONFLICT DO UPDATE SET position = excluded.position, idx = excluded.idx`

/** Adds the counts of match keys. */
export const matchStatements = (matches: readonly MatchCount[]): Statement[] => [
  {
    sql: upsertCount,
    rows: matches.map(({ tagId, at, scriptId, eventName, source, what, count }) => {
      return [tagId, hourOf(at), scriptId, eventName, matchSources.indexOf(source), what, count]
    }),
  },
  {
    sql: upsertExample,
    rows: matches.flatMap(({ tagId, scriptId, what, example }) =>
      example ? [[tagId, scriptId, what, example.position, example.index]] : [],
    ),
  },
]
