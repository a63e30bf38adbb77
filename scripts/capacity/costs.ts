/**
 * CPU (µs): of one process in a second while it works at all, and of each further event. An event of a low rate costs more,
 * because fewer share a group.
 */
export type RoleCost = { baseUs: number; eventUs: number }

/**
 * What was measured of one machine: `bench/capacity.ts` writes it. `channels`: those of the measured events. `takenUs`,
 * `planUs`, `deliveryUs`: in groups of events, as under load; `noticeUs`: of a notice for each process that hears it. `answerMs`: quantiles of the time of an answer at a low rate.
 */
export type CapacityCosts = {
  machine: string
  channels: number
  edge: RoleCost
  worker: RoleCost
  primary: RoleCost & { takenUs: number; planUs: number; deliveryUs: number; noticeUs: number }
  walBytes: { taken: number; plan: number; delivery: number }
  answerMs: readonly number[]
}
