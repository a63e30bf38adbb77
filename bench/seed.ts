/**
 * Writes data that would take hours over HTTP directly to the store and the stream of a data directory while no server runs
 * on it: with the same functions, keys and shapes as the server, but many at a time.
 */

import { dedupKeys } from '#event/dedupKeys.ts'
import { sealRecord } from '#event/record.ts'
import { systemClock } from '#kit/clock.ts'
import { newId } from '#kit/id.ts'
import { Secret } from '#kit/secret.ts'
import { providers } from '#providers/index.ts'
import { nextSecrets } from '#script/nextSecrets.ts'
import { readSettings } from '#settings/settings.ts'
import { openSqliteStore } from '#store/sqlite/sqliteStore.ts'
import type { PlannedEvent } from '#store/store.ts'
import { openLogStream } from '#stream/log/logStream.ts'
import type { Stream } from '#stream/stream.ts'
import type { Profile } from '#user/profile.ts'
import { fingerprintBytes } from '#user/storedProfile.ts'
import { resolveDataDir } from '../src/runtime/dataDir.ts'
import { type EnvironmentStore, openEnvironmentStore } from '../src/runtime/environmentStore.ts'

const clock = systemClock

/** The stored production environment of a data directory, open during `work`. */
async function withHome(data: string, work: (home: EnvironmentStore) => Promise<void>): Promise<void> {
  const adapters = { openStore: openSqliteStore, openStream: openLogStream }
  const settings = readSettings({}, { data })
  const home = await openEnvironmentStore('production', { dir: resolveDataDir(data), settings, adapters, clock })
  await work(home).finally(() => home.store.close())
}

/** Runs `one` for every number below `count`, many at a time, so that they share commits. */
async function each(count: number, one: (n: number) => Promise<unknown>): Promise<void> {
  let next = 0
  const runner = async () => {
    while (next < count) await one(next++)
  }
  await Promise.all(Array.from({ length: 1_000 }, runner))
}

export const personOf = (n: number) => ({ userId: `usr_bench${n}`, email: `person-${n}@shop.example` })

/** The activity of the people's sessions: later than the events, which then do not update it. */
const sessionMs = 20 * 60_000

/** This many people of a tag. All data of their events are already known, so that no event updates them. */
export const seedUsers = (data: string, tagId: string, count: number): Promise<void> =>
  withHome(data, async ({ store, keys, snapshots }) => {
    const team = keys.team(snapshots.get(tagId)!.teamId)
    const seenAt = clock.now()
    const session = { sessionId: newId('ses', seenAt), at: seenAt + sessionMs }
    await each(count, (n) => {
      const { userId, email } = personOf(n)
      const profile: Profile = {
        keys: { email, firstName: 'Jane', city: 'Bonn', country: 'DE' },
        custom: {},
        captured: { fbclid: { value: `IwAR${n}`, at: seenAt } },
        consent: { at: seenAt, consent: { all: true } },
        claims: [team.emailFingerprint(tagId, email)],
        seenAt,
        session,
      }
      const sealed = team.sealUser(Buffer.from(JSON.stringify(profile)), `${tagId}/${userId}`)
      const lookupKeys = {
        claims: [fingerprintBytes(team.emailFingerprint(tagId, email))],
        overallConsent: 'agrees' as const,
      }
      return store.users.put([{ user: { tagId, userId, sealed, seenAt }, lookupKeys }])
    })
  })

/** This many more tags, each with its own channel, copied from the tag `like`. Returns their ids. */
export async function seedTags(data: string, like: string, count: number, sinkUrl: string): Promise<string[]> {
  const tagIds: string[] = []
  await withHome(data, async ({ store, keys, snapshots, environment }) => {
    const { scripts, tagId: _, number: __, name: ___, ...rest } = snapshots.get(like)!
    const { teamId, ...settings } = rest
    await each(count, async (n) => {
      const nowMs = clock.now()
      const [tagId, scriptId] = [newId('tag', nowMs), newId('scr', nowMs)]
      const came = new Map([['EVENT_SINK_URL', new Secret(sinkUrl)]])
      const of = { environment, teamId, scriptId, provider: providers.eventSink! }
      const { refs, versions } = await nextSecrets({}, came, of, { keys, store, nowMs })
      const script = { ...scripts[0]!, scriptId, secrets: refs }
      const record = { ...script, tagId, teamId, createdAt: nowMs, version: 1 }
      const tag = { tagId, teamId, name: `seeded ${n}`, settings, createdAt: nowMs, version: 1 }
      const snapshot = { ...settings, tagId, teamId, number: 1, name: tag.name, scripts: [script] }
      await store.write([
        { add: 'tag', row: tag },
        { put: 'script', row: record },
        ...versions.map((row) => ({ add: 'secret' as const, row })),
        { add: 'deployment', row: { tagId, number: 1, snapshot, by: 'bench', createdAt: nowMs } },
      ])
      tagIds.push(tagId)
    })
  })
  return tagIds
}

/**
 * Plans all events that wait in the stream: each for the one channel of its tag, due now. Skips the decisions, but writes the
 * same rows as the planner.
 */
export const seedPlans = (data: string, channel: { tagId: string; scriptId: string }): Promise<void> =>
  withHome(data, async ({ store }) => {
    const stream = await openLogStream(resolveDataDir(data).stream('production'), clock)
    try {
      while ((await stream.waiting()) > 0) await planSome(stream, channel, store.journal)
    } finally {
      await stream.close()
    }
  })

/** The outcomes of the seeded deliveries: mostly delivered, with some of each other kind. */
const outcomes = [
  { status: 'delivered' },
  { status: 'delivered' },
  { status: 'delivered' },
  { status: 'skipped', reason: 'consent' },
  { status: 'dead', reason: 'expired' },
  { status: 'refused', reason: 'payloadRefused' },
] as const
const eventNames = ['PageView', 'PageView', 'ViewContent', 'AddToCart', 'Purchase']
const recordsPerRound = 20

type SeedOptions = {
  /** The events of one record have the same time. */
  eventsPerRecord?: number
  /** Maps a share of the events to the share of the day by which they have arrived, both from 0 to 1. */
  shape?: (part: number) => number
}

/** This many events of a tag, received over the last day, each with one finished delivery for each script. */
export const seedJournal = (
  data: string,
  of: { tagId: string; scriptIds: readonly string[] },
  count: number,
  { eventsPerRecord = 100, shape = (part) => part }: SeedOptions = {},
) =>
  withHome(data, async ({ store, keys, snapshots }) => {
    const { tagId, scriptIds } = of
    const { teamId } = snapshots.get(tagId)!
    const stream = await openLogStream(resolveDataDir(data).stream('production'), clock)
    const startedAt = clock.now()
    const receivedAtOf = (n: number) => Math.floor(startedAt - 86_400_000 * (1 - shape(n / count)))
    const recordOf = (first: number) => {
      const receivedAt = receivedAtOf(first)
      const context = { tagId, teamId, userId: 'usr_bench', hasExplicitUserId: true, trusted: true, receivedAt }
      const events = Array.from({ length: eventsPerRecord }, (_, n) => {
        return { eventName: eventNames[(first + n) % 5], eventId: `seeded-${first + n}`, timestamp: receivedAt }
      })
      const payload = sealRecord([{ context, body: Buffer.from(JSON.stringify(events)) }], context, keys)
      const eventIds = events.map(({ eventId }) => eventId)
      return { tagId, payload, ...dedupKeys(eventIds, context, keys) }
    }
    try {
      for (let first = 0; first < count; first += eventsPerRecord * recordsPerRound) {
        const records = Array.from({ length: recordsPerRound }, (_, n) => first + n * eventsPerRecord)
        for (const each of records) await stream.append(recordOf(each))
        const leased = await stream.lease(recordsPerRound, AbortSignal.timeout(10_000))
        const planned = leased.flatMap(({ position, newIndexes }, record) =>
          newIndexes.map((index): PlannedEvent => {
            const n = first + record * eventsPerRecord + index
            const receivedAt = receivedAtOf(first + record * eventsPerRecord)
            const deliveries = scriptIds.map((scriptId, script) => ({
              deliveryId: newId('dlv', receivedAt),
              scriptId,
              providerId: 'eventSink' as const,
              ...outcomes[(n + script) % outcomes.length]!,
            }))
            const facts = { consent: { source: 'event' }, place: { country: 'DE', source: 'request' } } as const
            const name = eventNames[n % 5]!
            return {
              position,
              index,
              tagId,
              eventName: name,
              userId: `usr_${n % 50_000}`,
              receivedAt,
              ...facts,
              deliveries,
            }
          }),
        )
        await store.journal.plan(planned)
        await stream.settle(leased.map(({ position }) => position))
      }
    } finally {
      await stream.close()
    }
  })

type Journal = EnvironmentStore['store']['journal']

async function planSome(stream: Stream, channel: { tagId: string; scriptId: string }, journal: Journal): Promise<void> {
  const leased = await stream.lease(200, AbortSignal.timeout(10_000))
  const receivedAt = clock.now()
  const planned = leased.flatMap(({ position, newIndexes }) =>
    newIndexes.map((index): PlannedEvent => {
      const delivery = {
        deliveryId: newId('dlv', receivedAt),
        scriptId: channel.scriptId,
        providerId: 'eventSink',
      } as const
      return {
        position,
        index,
        tagId: channel.tagId,
        eventName: 'Purchase',
        userId: 'usr_bench',
        receivedAt,
        consent: { source: 'event' },
        place: { source: 'unknown' },
        deliveries: [{ ...delivery, status: 'pending' }],
      }
    }),
  )
  await journal.plan(planned)
  await journal.nextDue(Number.MAX_SAFE_INTEGER) // creates the rows of the deliveries, as the poller does each second
  await stream.settle(leased.map(({ position }) => position))
}
