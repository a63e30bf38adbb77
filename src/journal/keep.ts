import type { Settings } from '#contract/settings.ts'

const dayMs = 86_400_000

/** What is kept, and for how long. */
export type Keep = {
  /** of which attempts request and answer are kept */
  bodies: 'all' | 'failed' | 'none'
  eventsMs: number
  /** deliveries that failed, with their bodies and the event that they may be replayed from */
  failuresMs: number
  journalMs: number
  /** so many deployments of a tag at least */
  deployments: number
}

type Set = Pick<Settings, 'keepBodies' | 'keepEventsDays' | 'keepFailuresDays' | 'keepJournalDays' | 'keepDeployments'>

export const keepOf = (settings: Set): Keep => ({
  bodies: settings.keepBodies,
  eventsMs: settings.keepEventsDays * dayMs,
  failuresMs: settings.keepFailuresDays * dayMs,
  journalMs: settings.keepJournalDays * dayMs,
  deployments: settings.keepDeployments,
})

export const usualKeep: Keep = keepOf({
  keepBodies: 'all',
  keepEventsDays: 7,
  keepFailuresDays: 30,
  keepJournalDays: 30,
  keepDeployments: 100,
})
