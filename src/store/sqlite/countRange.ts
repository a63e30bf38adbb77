import type { Stats } from '#contract/stats.ts'

/** The minutes of a step of a series. */
export const minutesOfStep: Record<Stats['step'], number> = { minute: 1, hour: 60, day: 24 * 60 }
