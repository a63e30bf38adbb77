import { isRangeName, type RangeName, rangeOf, ranges } from '#dashboard/chart/range.ts'
import { overviewWords as words } from '#dashboard/words/en/overview.ts'
import { useQueryState } from '../data/tag.tsx'

export const startAndEnd = ({ from, to }: { from: number; to: number }) => ({ from, to })

/** The range of the address, and a function to narrow it. */
export function useRange(fallback: RangeName = '1h') {
  const [query, setQuery] = useQueryState()
  const isCustom = Boolean(query.from && query.to)
  const name = isRangeName(query.range) ? query.range : fallback
  const now = () => rangeOf(query, Date.now(), fallback)
  return {
    /** Identifies the range in the cache: "the last hour" keeps its key as time passes. */
    key: isCustom ? `${query.from} ${query.to}` : name,
    now,
    times: () => startAndEnd(now()),
    narrow: (from: number, to: number) =>
      setQuery({ ...query, from: new Date(from).toISOString(), to: new Date(to).toISOString() }),
    reset: isCustom ? () => setQuery({ ...query, from: undefined, to: undefined }) : undefined,
  }
}

export type ChosenRange = ReturnType<typeof useRange>

export function RangePicker({ fallback = '1h' }: { fallback?: RangeName }) {
  const [query, setQuery] = useQueryState()
  const isCustom = Boolean(query.from && query.to)
  const value = isCustom ? 'custom' : isRangeName(query.range) ? query.range : fallback
  return (
    <label class="rangePicker">
      <span class="hidden">{words.range}</span>
      <select
        value={value}
        onChange={(event) => setQuery({ ...query, range: event.currentTarget.value, from: undefined, to: undefined })}
      >
        {(Object.keys(ranges) as RangeName[]).map((name) => (
          <option key={name} value={name}>
            {words.rangeName[name]}
          </option>
        ))}
        {isCustom && <option value="custom">{words.custom}</option>}
      </select>
    </label>
  )
}
