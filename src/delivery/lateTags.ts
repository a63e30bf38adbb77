import type { Keyring } from '#account/keyring.ts'
import { createLruCache } from '#kit/lruCache.ts'
import { retryUntilDone } from '#kit/retryUntilDone.ts'
import { type FindTagDeps, findTag } from '#script/findTag.ts'
import type { LeasedRecord } from '#stream/stream.ts'
import type { DeliveryDeps } from './deliveryDeps.ts'

type SealedRecord = Pick<LeasedRecord, 'tagId' | 'payload'>

/** Handles records whose tag, or whose team's key, another process has just created: the change feed may be late. */
export type LateTags = ReturnType<typeof openLateTags>

type LateTagsDeps = FindTagDeps &
  Pick<DeliveryDeps, 'clock' | 'log'> & { keys: Pick<Keyring, 'hasTeamKey'>; giveUp: AbortSignal }

const askAgainMs = 1_000
const maxAsked = 10_000

export function openLateTags(deps: LateTagsDeps) {
  const { clock, log, snapshots, keys } = deps
  const askedAt = createLruCache<string, number>(maxAsked)

  function isKnown({ tagId, payload }: SealedRecord): boolean {
    const tag = snapshots.get(tagId)
    return tag !== undefined && keys.hasTeamKey(tag.teamId, payload)
  }
  const wasAsked = ({ tagId }: SealedRecord) =>
    clock.now() - (askedAt.get(tagId) ?? Number.NEGATIVE_INFINITY) < askAgainMs
  async function read(record: SealedRecord): Promise<void> {
    if (isKnown(record)) return
    askedAt.set(record.tagId, clock.now())
    await findTag(record.tagId, deps, record.payload)
  }
  return {
    /** Does the same for one record, and retries until the store answers. */
    read: async (record: SealedRecord) => {
      await retryUntilDone('read the tag of a record', () => read(record), deps, deps.giveUp)
    },
    /**
     * Loads the tags and keys of these records that this process lacks. Reads a tag at most once a second. A failure is
     * logged: the records are tried again.
     */
    async readFor(records: readonly SealedRecord[]): Promise<void> {
      for (const record of records) {
        if (isKnown(record) || wasAsked(record)) continue
        await read(record).catch((error) =>
          log({ level: 'error', message: 'could not read the tag of a record', tagId: record.tagId, error }),
        )
      }
    },
  }
}
