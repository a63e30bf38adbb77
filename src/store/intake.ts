import type { Refusal, SeenCaller } from '#contract/intake.ts'
import type { Stats } from '#contract/stats.ts'
import type { MatchCount } from './matchCounts.ts'

/** Events by result, or refused calls by the code of their Error object, in the minute of `at` (epoch ms). */
export type IntakeCount = { tagId: string; at: number; code: string; count: number }
/** `number` orders the refusals of a tag. */
export type RefusalRecord = Refusal & { tagId: string; number: number }
export type SeenCallerRecord = SeenCaller & { tagId: string }

/** The kinds of latency. `response`: the vendor's answer. `delivery`: from the receipt of an event to its delivery. */
export const latencyKinds = ['response', 'delivery'] as const
export type LatencyKind = (typeof latencyKinds)[number]
/** A number of durations in one bucket (kit/histogram.ts) in the minute of `at` (epoch ms). */
export type LatencyCount = {
  tagId: string
  scriptId: string
  at: number
  kind: LatencyKind
  bucket: number
  count: number
}

/** How many duplicates of an event were received, by its deduplication key; `at`: the last time. */
export type RepeatCount = { tagId: string; key: bigint; at: number; count: number }

/** Counts that are added up in memory and written together. */
export type IntakeBatch = {
  counts: readonly IntakeCount[]
  latencies: readonly LatencyCount[]
  refusals: readonly RefusalRecord[]
  seen: readonly SeenCallerRecord[]
  repeats: readonly RepeatCount[]
  matches: readonly MatchCount[]
}

/** The maximum number of refusals of a tag, and of hosts for each kind of call. Older ones are dropped. */
export const keptRefusals = 100
export const keptHosts = 50

/** The stored intake data of a tag in a time range. */
export type IntakeRecord = {
  counts: { at: number; code: string; count: number }[]
  refusals: Refusal[]
  seen: SeenCaller[]
}
export type IntakeRequest = Pick<Stats, 'from' | 'to' | 'step'>
