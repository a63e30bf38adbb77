import { type FairQueueLimits, fairQueue, type Turn } from './fairQueue.ts'

/** Runs work of many teams. Teams take turns, and a team with slow work leaves room for the others. */
export type TeamTurns = {
  /** Starts a job when it is the turn of its team. Does nothing while a job of this name waits or runs. */
  start(name: string, turn: Turn, job: () => Promise<void>): void
  isBusy(name: string): boolean
  /** Runs no further job, and resolves when those that run have ended. */
  stop(): Promise<void>
}

/** `failed` gets the error of a job, or QueueFull if too many jobs wait; a later poll starts the job again. */
export function openTeamTurns(limits: FairQueueLimits, failed: (error: unknown) => void): TeamTurns {
  const queue = fairQueue(limits)
  const jobs = new Map<string, Promise<void>>()
  let isStopped = false
  return {
    start(name, turn, job) {
      if (jobs.has(name)) return
      const run = queue
        .run(turn, async () => (isStopped ? undefined : job()))
        .catch(failed)
        .finally(() => jobs.delete(name))
      jobs.set(name, run)
    },
    isBusy: (name) => jobs.has(name),
    async stop() {
      isStopped = true
      await Promise.all(jobs.values())
    },
  }
}
