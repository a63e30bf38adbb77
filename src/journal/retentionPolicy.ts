import type { Settings } from '#settings/settings.ts'

const dayMs = 86_400_000

/** What is stored, and for how long (ms). */
export type RetentionPolicy = {
  /** The attempts whose requests and responses are stored. */
  bodies: 'all' | 'failed' | 'none'
  /** The maximum number of attempts of a tag a second whose successful exchanges are stored; absent without a limit. */
  bodiesPerSecond?: number
  eventsMs: number
  /** For failed deliveries, with their bodies and the event for a replay. */
  failuresMs: number
  journalMs: number
  /** The minimum number of deployments that are kept for a tag. */
  deployments: number
}

type RetentionSettings = Pick<
  Settings,
  'keepBodies' | 'keepBodiesRate' | 'keepEventsDays' | 'keepFailuresDays' | 'keepJournalDays' | 'keepDeployments'
>

export const toRetentionPolicy = (settings: RetentionSettings): RetentionPolicy => ({
  bodies: settings.keepBodies,
  ...(settings.keepBodiesRate !== undefined && { bodiesPerSecond: settings.keepBodiesRate }),
  eventsMs: settings.keepEventsDays * dayMs,
  failuresMs: settings.keepFailuresDays * dayMs,
  journalMs: settings.keepJournalDays * dayMs,
  deployments: settings.keepDeployments,
})

export const defaultRetention: RetentionPolicy = toRetentionPolicy({
  keepBodies: 'all',
  keepEventsDays: 7,
  keepFailuresDays: 30,
  keepJournalDays: 30,
  keepDeployments: 100,
})
