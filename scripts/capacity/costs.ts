/**
 * CPU (µs): of one process per second while it does any work, and of each further event. An event costs more at a low rate,
 * because fewer events share a group.
 */
export type RoleCost = { baseUs: number; eventUs: number }

/**
 * The measurements of one machine, written by `bench/capacity.ts`. `channels`: of the measured events. `takenUs`, `planUs`,
 * `deliveryUs`: in groups of events, as under load; `noticeUs`: of a notice for each listening process. `answerMs`: quantiles
 * of the response time at a low rate.
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
