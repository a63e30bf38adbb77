import type { Keyring } from '#account/keyring.ts'
import type { PreviewTerms } from '#account/previewCode.ts'
import { maxPreviewEvents, type PreviewEvent } from '#contract/previewLink.ts'
import type { Clock } from '#kit/clock.ts'
import { createLruCache } from '#kit/lruCache.ts'
import { Conflict, type Store, type StoreChange } from '#store/store.ts'

type LogDeps = { clock: Pick<Clock, 'now'>; keys: Keyring; store: Pick<Store, 'write' | 'accounts'> }
type TagOfLog = { tagId: string; teamId: string }
type LinkOfLog = Pick<PreviewTerms, 'previewId' | 'expiresAt'>

/** The events of preview links, apart from the journal. They are deleted when their link expires. */
export type PreviewLog = {
  /** The number of events that the link still accepts. */
  left(tag: TagOfLog, previewId: string): Promise<number>
  /** Reserves the next numbers of the link for events, in order; fewer if the link has fewer left. */
  reserve(tag: TagOfLog, link: LinkOfLog, events: readonly Omit<PreviewEvent, 'number'>[]): Promise<PreviewEvent[]>
  /** Replaces a reserved event; does nothing if the event was erased in the meantime. */
  put(tag: TagOfLog, link: LinkOfLog, event: PreviewEvent): Promise<void>
  /** The events after a number, in order, at most 50. */
  list(tag: TagOfLog, previewId: string, after: number): Promise<PreviewEvent[]>
}

/** Preview events are stored with the artifacts of accounts, which also expire. */
const kind = 'PreviewEvent'
const pageSize = 50
/** The maximum length of a stored event, in characters. A longer event is stored without the requests of its deliveries. */
const maxLength = 256 * 1_024
const maxLinks = 1_000

/** The actor by which an erasure finds the preview events of a visitor. */
const actorOf = (tagId: string, userId: string) => `${tagId}/${userId}`

/** Deletes the preview events of a visitor. */
export const erasePreviewEvents = (tagId: string, userId: string): StoreChange => ({
  account: { drop: 'artifacts', selector: { of: 'actor', actor: actorOf(tagId, userId) } },
})

/** Deletes the events of expired links, and other expired rows of accounts. */
export const dropExpiredPreviews = (now: number): StoreChange[] =>
  (['token', 'artifact', 'used'] as const).map((sweep) => ({ account: { sweep, before: now } }))

function toText(event: PreviewEvent): string {
  const text = JSON.stringify(event)
  if (text.length <= maxLength) return text
  const { received: _, afterPlugins: __, ...journey } = event.journey
  const deliveries = journey.deliveries.map(({ afterRules: _, ...delivery }) => ({
    ...delivery,
    attempts: delivery.attempts.map(({ exchanges: _, ...attempt }) => attempt),
  }))
  return JSON.stringify({ ...event, journey: { ...journey, deliveries } } satisfies PreviewEvent)
}

/** The numbers of a link. Each is taken once, in order, by the first process that asks. */
function openPlaces({ keys, store }: LogDeps) {
  /** The first free number of each link, as far as this process knows. */
  const firstFree = createLruCache<string, number>(maxLinks)
  const keyOf = ({ tagId }: TagOfLog, previewId: string, number: number) =>
    keys.hashToken(`preview event\0${tagId}\0${previewId}\0${number}`)

  async function findFree(tag: TagOfLog, previewId: string): Promise<number> {
    let low = firstFree.get(previewId) ?? 1
    let high = maxPreviewEvents + 1
    if (low < high && !(await store.accounts.isSecretUsed(keyOf(tag, previewId, low)))) return low
    while (low < high) {
      const middle = (low + high) >> 1
      if (await store.accounts.isSecretUsed(keyOf(tag, previewId, middle))) low = middle + 1
      else high = middle
    }
    firstFree.set(previewId, low)
    return low
  }
  /** Takes the next number and writes the row that `rowOf` returns for it. Undefined if no number is left. */
  async function take(tag: TagOfLog, { previewId, expiresAt }: LinkOfLog, rowOf: (number: number) => StoreChange) {
    for (let number = await findFree(tag, previewId); number <= maxPreviewEvents; number++) {
      const use: StoreChange = { account: { use: 'once', hash: keyOf(tag, previewId, number), expiresAt } }
      try {
        await store.write([use, rowOf(number)])
        firstFree.set(previewId, number + 1)
        return number
      } catch (error) {
        if (!(error instanceof Conflict)) throw error // another process took the number
      }
    }
    return undefined
  }
  return { keyOf, findFree, take }
}

export function openPreviewLog(deps: LogDeps): PreviewLog {
  const { clock, keys, store } = deps
  const places = openPlaces(deps)
  const aadOf = (previewId: string, number: number) => `preview event ${previewId} ${number}`

  const row = (tag: TagOfLog, { previewId, expiresAt }: LinkOfLog, event: PreviewEvent): StoreChange => ({
    account: {
      put: 'artifact',
      row: {
        kind,
        key: places.keyOf(tag, previewId, event.number),
        actor: actorOf(tag.tagId, event.journey.userId),
        sealed: keys.team(tag.teamId).sealUser(Buffer.from(toText(event)), aadOf(previewId, event.number)),
        expiresAt,
      },
    },
  })
  async function read(tag: TagOfLog, previewId: string, number: number): Promise<PreviewEvent | undefined> {
    const found = await store.accounts.artifact(kind, places.keyOf(tag, previewId, number))
    if (!found || found.expiresAt <= clock.now()) return undefined
    await keys.findTeamKey(tag.teamId, found.sealed)
    return JSON.parse(keys.team(tag.teamId).openUser(found.sealed, aadOf(previewId, number)).toString())
  }
  return {
    left: async (tag, previewId) => maxPreviewEvents + 1 - (await places.findFree(tag, previewId)),
    async reserve(tag, link, events) {
      await store.write(dropExpiredPreviews(clock.now()))
      const reserved: PreviewEvent[] = []
      for (const event of events) {
        const number = await places.take(tag, link, (number) => row(tag, link, { number, ...event }))
        if (number === undefined) break
        reserved.push({ number, ...event })
      }
      return reserved
    },
    async put(tag, link, event) {
      if (await read(tag, link.previewId, event.number)) await store.write([row(tag, link, event)])
    },
    async list(tag, previewId, after) {
      const count = (await places.findFree(tag, previewId)) - 1 - after
      const numbers = Array.from({ length: Math.max(0, Math.min(pageSize, count)) }, (_, n) => after + 1 + n)
      const found = await Promise.all(numbers.map((number) => read(tag, previewId, number)))
      return found.filter((event) => event !== undefined)
    },
  }
}
