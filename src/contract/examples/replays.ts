import type { Replay } from '../replay.ts'
import { at, exampleValues, type OperationExamples } from './example.ts'

const { tagId, scriptId, hookId, tokenId, replayId } = exampleValues
const hour = 3_600_000
const filters = { from: at - hour, to: at, statuses: ['dead', 'refused'] } satisfies Partial<Replay>
const counts = { matched: 120, replayed: 112 }
const script = { scriptId, ...counts, left: { tooOld: 6, consent: 2 } }
const queued: Replay = {
  replayId,
  state: 'queued',
  at,
  by: tokenId,
  ...filters,
  matched: 0,
  replayed: 0,
  isWhole: false,
  scripts: [],
}
const running: Replay = {
  ...queued,
  state: 'running',
  startedAt: at + 400,
  ...counts,
  scripts: [{ ...script, now: { pending: 40, delivered: 71, dead: 1 } }],
}

export const replayExamples = {
  createReplay: { body: { from: '2026-11-20T09:00:00Z', to: at, scriptIds: [scriptId] }, response: queued },
  listReplays: { response: { replays: [running], next: 'Mw' } },
  readReplay: { response: { ...running, state: 'done', endedAt: at + 900, isWhole: true } },
  stopReplay: { response: { ...running, state: 'stopping' } },
  listAlerts: {
    response: {
      alerts: [
        {
          alertId: 'alert_01kahr3m5we7tbs9d2q6n4xbyz',
          kind: 'paused',
          tagId,
          scriptId,
          reason: 'keyRejected',
          count: 1,
          since: at,
          at: at + 300,
          sendings: [{ hookId, status: 'sent', tries: 1 }],
        },
      ],
    },
  },
} satisfies OperationExamples
