import type { Stats } from '#contract/stats.ts'

/** The minutes of a step of a series. */
export const minutesOfStep: Record<Stats['step'], number> = { minute: 1, hour: 60, day: 24 * 60 }

const minuteMs = 60_000

/** The minutes (since 1970) of a time range in epoch ms. The last minute is excluded. */
export const minutesOf = ({ from, to }: { from: number; to: number }): [from: number, to: number] => [
  Math.floor(from / minuteMs),
  Math.ceil(to / minuteMs),
]
