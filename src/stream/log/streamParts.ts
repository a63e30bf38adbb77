import type { DatabaseSync } from 'node:sqlite'
import type { Clock } from '#kit/clock.ts'
import type { Thread } from '#kit/thread.ts'
import type { SegmentLog } from '#log/log.ts'
import type { KeyIndex } from './keyIndex.ts'
import type { StreamState } from './readState.ts'
import type { RecentBodies } from './recentBodies.ts'
import type { IndexCommand, IndexReply } from './streamIndex.ts'

/** The parts of an open stream. */
export type StreamParts = {
  log: SegmentLog
  db: DatabaseSync
  index: Thread<IndexCommand, IndexReply>
  keys: KeyIndex
  recent: RecentBodies
  state: StreamState
  clock: Clock
}
