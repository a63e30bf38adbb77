import type { Keyring } from '#account/keyring.ts'
import type { Run } from '#contract/webhookRun.ts'
import type { Clock } from '#kit/clock.ts'
import { newId } from '#kit/id.ts'
import type { Log } from '#kit/log.ts'
import { findEmails } from '#provider/engine/contactSearch.ts'
import { writePeriodically } from '#store/periodicWrite.ts'
import type { Store } from '#store/store.ts'
import { keptRuns, type RunRecord } from '#store/webhookRuns.ts'

type RunOwner = { teamId: string; tagId: string; scriptId: string }

/** The people that a run handled: users that the code named or found, and the e-mail addresses in its input. */
export type HandledPeople = { userIds: Iterable<string>; texts: readonly string[] }

/** Journals the runs of webhook code for outside calls. Written every second; a crash loses newer runs. */
export type RunLog = {
  add(owner: RunOwner, run: Omit<Run, 'runId'>, handled?: HandledPeople): void
  /** Resolves when all earlier runs are on disk, or when the write failed and the runs are kept. */
  flush(): Promise<void>
}

/** Journals nothing: for tests. */
export const noRunLog: RunLog = { add() {}, flush: async () => {} }

const flushMs = 1_000
/** The maximum number of runs between two writes. Above it, the oldest are dropped. */
const maxWaiting = 5 * keptRuns

/** A run that handled more people is stored without its texts, which may name any of them. */
const maxPeople = 1_000

/** The keyed hash of a user by which an erasure finds the runs that handled the user. */
export const userHash = (keys: Keyring, { teamId, tagId }: Omit<RunOwner, 'scriptId'>, userId: string): string =>
  keys.team(teamId).customFingerprint(tagId, 'user of a run', userId)
export const emailHash = (keys: Keyring, { teamId, tagId }: Omit<RunOwner, 'scriptId'>, email: string): string =>
  keys.team(teamId).emailFingerprint(tagId, email)

/** The e-mail addresses in texts. Stops once there are more than `maxPeople`. */
function emailsIn(texts: readonly string[]): Set<string> {
  const emails = new Set<string>()
  for (const text of texts)
    for (const { from, to } of findEmails(text)) {
      emails.add(text.slice(from, to).replace('%40', '@').toLowerCase())
      if (emails.size > maxPeople) return emails
    }
  return emails
}

/** The texts of a run that may contain personal data. */
const textsOf = ({ request, error, logs }: Omit<Run, 'runId'>): string[] => [
  ...Object.values(request ?? {}),
  ...(error ? [error.message] : []),
  ...logs.map(({ text }) => text),
]

const withoutTexts = ({ at, durationMs, status, eventIds }: Omit<Run, 'runId'>): Omit<Run, 'runId'> => ({
  ...{ at, durationMs, status, eventIds },
  logs: [{ level: 'error', text: `not stored: the call handled more than ${maxPeople} people` }],
})

type KeptRun = { run: Omit<Run, 'runId'>; people: readonly string[] }

/** A run with the keyed hash of each person that it handled. */
function keptRun(keys: Keyring, owner: RunOwner, run: Omit<Run, 'runId'>, handled: HandledPeople | undefined): KeptRun {
  const userIds = new Set(handled?.userIds)
  const emails = emailsIn([...textsOf(run), ...(handled?.texts ?? [])])
  if (userIds.size + emails.size > maxPeople) return { run: withoutTexts(run), people: [] }
  const hashes = [
    ...[...userIds].map((userId) => userHash(keys, owner, userId)),
    ...[...emails].map((email) => emailHash(keys, owner, email)),
  ]
  return { run, people: hashes }
}

const runAad = ({ tagId }: Pick<RunOwner, 'tagId'>) => `${tagId} run`

export const openRun = (
  keys: Keyring,
  teamId: string,
  { runId, tagId, sealed }: Omit<RunRecord, 'eventKeys'>,
): { run: Run; people: readonly string[] } => {
  const text = Buffer.from(keys.team(teamId).openEvent(sealed, runAad({ tagId }))).toString()
  const { people = [], ...run } = JSON.parse(text) as Omit<Run, 'runId'> & { people?: readonly string[] }
  return { run: { runId, ...run }, people }
}

type RunLogDeps = { clock: Clock; keys: Keyring; store: Pick<Store, 'write'>; log: Log }

export function openRunLog({ clock, keys, store, log }: RunLogDeps, signal: AbortSignal): RunLog {
  let waiting: RunRecord[] = []

  const flush = writePeriodically(
    { clock, store, log },
    {
      kind: 'runs',
      label: 'the runs of webhooks',
      everyMs: flushMs,
      take() {
        const rows = waiting
        waiting = []
        return rows.length === 0 ? undefined : { add: 'runs', rows }
      },
      restore: ({ rows }) => {
        waiting = [...rows, ...waiting].slice(-maxWaiting)
      },
    },
    signal,
  )

  return {
    add(owner, called, handled) {
      const { teamId, tagId, scriptId } = owner
      const team = keys.team(teamId)
      const { run, people } = keptRun(keys, owner, called, handled)
      const eventKeys = run.eventIds.map((eventId) => team.eventKey(tagId, eventId, true))
      const sealed = team.sealEvent(Buffer.from(JSON.stringify({ ...run, people })), runAad({ tagId }))
      waiting.push({ runId: newId('run', run.at), tagId, scriptId, at: run.at, sealed, eventKeys })
      if (waiting.length > maxWaiting) waiting.shift()
    },
    flush,
  }
}
