import { sparkPath } from '#dashboard/chart/series.ts'

/** A trend without axes; the value beside it has the meaning. */
export function Sparkline({ values }: { values: readonly number[] }) {
  const path = sparkPath(values)
  return (
    <svg class="sparkline" viewBox="0 0 100 24" preserveAspectRatio="none" aria-hidden="true">
      {path && <path d={path} />}
    </svg>
  )
}
