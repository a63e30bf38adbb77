import { msOf, type Step } from './range.ts'

/** One line or area: values at the same times as the others. */
type Line = { name: string; values: (number | null)[] }
/** A line with the name of its colour in the theme. */
export type ChartLine = Line & { color: string }

type Counted<Status extends string> = { at: number; counts: Partial<Record<Status, number>> }

/** Adds a point for every step of a range: the server leaves out steps without events. */
export function fillSteps<Point extends { at: number }>(
  points: readonly Point[],
  { from, to, step }: { from: number; to: number; step: Step },
  empty: (at: number) => Point,
): Point[] {
  const ms = msOf(step)
  const start = Math.floor(from / ms) * ms
  const byTime = new Map(points.map((point) => [Math.floor(point.at / ms) * ms, point]))
  const count = Math.min(Math.ceil((to - start) / ms), 300)
  return Array.from({ length: count }, (_, n) => byTime.get(start + n * ms) ?? empty(start + n * ms))
}

/** The counts of groups of statuses over time. */
export const groupLines = <Status extends string>(
  points: readonly Counted<Status>[],
  groups: readonly { name: string; statuses: readonly Status[] }[],
): Line[] =>
  groups.map(({ name, statuses }) => ({
    name,
    values: points.map(({ counts }) => statuses.reduce((sum, status) => sum + (counts[status] ?? 0), 0)),
  }))

/** Stacks lines: each value plus those of all lines before it. */
export function stack(lines: readonly Line[]): Line[] {
  const sums: number[] = []
  return lines.map(({ name, values }) => ({
    name,
    values: values.map((value, at) => {
      sums[at] = (sums[at] ?? 0) + (value ?? 0)
      return sums[at]
    }),
  }))
}

/** The path of a sparkline in a box of 100 by 24; undefined if there is nothing to draw. */
export function sparkPath(values: readonly number[]): string | undefined {
  if (values.length < 2) return undefined
  const most = Math.max(...values)
  if (most <= 0) return undefined
  const [width, height] = [100, 24]
  return values
    .map((value, at) => {
      const x = ((at / (values.length - 1)) * width).toFixed(1)
      const y = (height - 1 - (value / most) * (height - 2)).toFixed(1)
      return `${at === 0 ? 'M' : 'L'}${x} ${y}`
    })
    .join('')
}
