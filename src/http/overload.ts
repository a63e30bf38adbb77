import type { Clock } from '#kit/clock.ts'
import type { Entry, Stream } from '#stream/stream.ts'

/** When the intake says no instead of letting memory or the disk run full. */
export type OverloadLimits = { openBytes: number; commitAgeMs: number; freeBytes: number }

const usual: OverloadLimits = { openBytes: 64 * 1024 * 1024, commitAgeMs: 5_000, freeBytes: 64 * 1024 * 1024 }

export type Intake = Pick<Stream, 'append'> & {
  /** Seconds after which to come again, while no event can be taken. */
  busy(): number | undefined
}

/**
 * Watches what is on its way into the stream: bytes not yet on disk, for how long no commit came back, and the disk's
 * room, which `freeBytes` tells as it was last looked at.
 */
export function watchIntake(
  stream: Pick<Stream, 'append'>,
  on: { clock: Pick<Clock, 'now'>; freeBytes(): number; limits?: Partial<OverloadLimits> },
): Intake {
  const limits = { ...usual, ...on.limits }
  let openBytes = 0
  let openEntries = 0
  let progressAt = 0
  const ended = (bytes: number) => {
    openBytes -= bytes
    openEntries--
    progressAt = on.clock.now()
  }
  return {
    append(entry: Entry) {
      const bytes = entry.payload.length
      if (openEntries++ === 0) progressAt = on.clock.now()
      openBytes += bytes
      const done = () => ended(bytes)
      const appended = stream.append(entry)
      appended.then(done, done)
      return appended
    },
    busy() {
      if (on.freeBytes() < limits.freeBytes) return 30
      const isStuck = openEntries > 0 && on.clock.now() - progressAt > limits.commitAgeMs
      return isStuck || openBytes > limits.openBytes ? 1 : undefined
    },
  }
}
