import { isRangeName, type RangeName, rangeOf, ranges, type TimeRange } from '#dashboard/chart/range.ts'
import { overviewWords as words } from '#dashboard/words/en/overview.ts'
import { now } from '../data/signal.ts'
import { useQueryState } from '../data/tag.tsx'

/** The range of the address, and a way to narrow it. It moves on every 10 seconds. */
export function useRange(
  fallback: RangeName = '1h',
): TimeRange & { narrow: (from: number, to: number) => void; reset: (() => void) | undefined } {
  const [query, setQuery] = useQueryState()
  const range = rangeOf(query, now.value, fallback)
  return {
    ...range,
    narrow: (from, to) => setQuery({ ...query, from: new Date(from).toISOString(), to: new Date(to).toISOString() }),
    reset: query.from ? () => setQuery({ ...query, from: undefined, to: undefined }) : undefined,
  }
}

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
            {words.rangeName(name)}
          </option>
        ))}
        {isCustom && <option value="custom">{words.custom}</option>}
      </select>
    </label>
  )
}
