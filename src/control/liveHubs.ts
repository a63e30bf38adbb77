import type { TagRecord } from '#store/store.ts'
import type { ControlDeps } from './controlDeps.ts'
import { type LiveHub, openLiveHub } from './liveHub.ts'

/** A hub that nobody watches is kept this long, for streams that were cut and resume. */
const idleMs = 120_000

type HubEntry = { opening: Promise<LiveHub>; streams: number; idleSince: number }

const entriesOf = new WeakMap<ControlDeps['stream'], Map<string, HubEntry>>()

/** Drops the hubs that nobody has watched for a while. */
function dropIdleHubs(entries: Map<string, HubEntry>, now: number): void {
  for (const [tagId, entry] of entries) {
    if (entry.streams > 0 || now - entry.idleSince < idleMs) continue
    entries.delete(tagId)
    void entry.opening.then(({ changes }) => changes[Symbol.dispose]())
  }
}

/** `isFirst`: no other stream watches. `leave` ends the watching. */
export type JoinedHub = { hub: LiveHub; isFirst: boolean; leave: Disposable }

/** The hub of a tag, and its release when the stream ends. The first stream opens it. */
export async function joinLiveHub(deps: ControlDeps, tag: TagRecord): Promise<JoinedHub> {
  const entries = entriesOf.get(deps.stream) ?? new Map<string, HubEntry>()
  entriesOf.set(deps.stream, entries)
  dropIdleHubs(entries, deps.clock.now())
  const entry = entries.get(tag.tagId) ?? { opening: openLiveHub(deps, tag), streams: 0, idleSince: 0 }
  entries.set(tag.tagId, entry)
  const isFirst = entry.streams++ === 0
  let hasLeft = false
  const leave = {
    [Symbol.dispose]() {
      if (hasLeft) return
      hasLeft = true
      entry.streams--
      entry.idleSince = deps.clock.now()
    },
  }
  try {
    return { hub: await entry.opening, isFirst, leave }
  } catch (problem) {
    if (entries.get(tag.tagId) === entry) entries.delete(tag.tagId)
    throw problem
  }
}
