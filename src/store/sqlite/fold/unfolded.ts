import type { JournalRecord } from './journalRecords.ts'

/** What the log records without rows are about. Readers check this before they ask for a fold. */
export type Unfolded = ReturnType<typeof openUnfolded>

/** `isAnyScript`: the records do not name their scripts. */
type Notes = {
  scripts: Set<string>
  users: Set<string>
  isAnyScript: boolean
  isRetry: boolean
  isHold: boolean
  bytes: number
}

const emptyNotes = (): Notes => ({
  scripts: new Set(),
  users: new Set(),
  isAnyScript: false,
  isRetry: false,
  isHold: false,
  bytes: 0,
})

function note(notes: Notes, record: JournalRecord): void {
  if ('plan' in record)
    for (const { userId, deliveries, held } of record.plan) {
      notes.users.add(userId)
      for (const { scriptId } of deliveries) notes.scripts.add(scriptId)
      notes.isHold ||= held !== undefined
    }
  else if ('settle' in record)
    for (const { delivery, nextAt } of record.settle) {
      if (delivery) notes.scripts.add(delivery.scriptId)
      else notes.isAnyScript = true
      notes.isRetry ||= nextAt !== undefined || !delivery
    }
  else if ('begin' in record) notes.isRetry = notes.isAnyScript = true
}

function merge(into: Notes, from: Notes): void {
  for (const scriptId of from.scripts) into.scripts.add(scriptId)
  for (const userId of from.users) into.users.add(userId)
  into.isAnyScript ||= from.isAnyScript
  into.isRetry ||= from.isRetry
  into.isHold ||= from.isHold
  into.bytes += from.bytes
}

export function openUnfolded() {
  let current = emptyNotes()
  let waiting: PromiseWithResolvers<void> | undefined
  const taken = new Set<Notes>()
  const some = (test: (notes: Notes) => boolean) => test(current) || [...taken].some(test)

  return {
    add(record: JournalRecord, bytes: number): void {
      note(current, record)
      current.bytes += bytes
    },
    hasAny: () => current.bytes > 0,
    /** True if a delivery of the script was planned or has changed. */
    hasScript: (scriptId: string) => some(({ scripts, isAnyScript }) => isAnyScript || scripts.has(scriptId)),
    /** True if an event came with this user id. */
    hasUser: (userId: string) => some(({ users }) => users.has(userId)),
    /** True if a delivery is to be tried again. */
    hasRetry: () => some(({ isRetry }) => isRetry),
    /** True if an event is held. */
    hasHold: () => some(({ isHold }) => isHold),
    /** Bytes of the records. */
    bytes: () => current.bytes,
    /** Resolves when all records added before the call are done. */
    nextDone(): Promise<void> {
      waiting ??= Promise.withResolvers()
      return waiting.promise
    },
    /** Takes the records for a fold. They are then marked done, or given back if the fold fails. */
    take(): { done(): void; giveBack(): void } {
      const notes = current
      const done = waiting
      current = emptyNotes()
      waiting = undefined
      taken.add(notes)
      return {
        done() {
          taken.delete(notes)
          done?.resolve()
        },
        giveBack() {
          taken.delete(notes)
          merge(current, notes)
          if (waiting && done) void waiting.promise.then(done.resolve)
          waiting ??= done
        },
      }
    },
  }
}
