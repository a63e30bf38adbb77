import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import { openKeyring } from '#account/keyring.ts'
import { wholeOwnership } from '#cluster/inProcess.ts'
import { allSlots } from '#cluster/slotOf.ts'
import type { TagEvent } from '#contract/event.ts'
import { watchCompletions } from '#delivery/completionWatcher.ts'
import type { ChannelEvent, DeliveryDeps } from '#delivery/deliveryDeps.ts'
import { startWorker, type Worker } from '#delivery/worker.ts'
import { dedupKeys, placesOfId } from '#event/dedupKeys.ts'
import { openRecentRecords } from '#event/recentRecords.ts'
import { type EventContext, sealRecord } from '#event/record.ts'
import { noIntakeLog } from '#journal/intakeLog.ts'
import { defaultRetention } from '#journal/retentionPolicy.ts'
import type { Log } from '#kit/log.ts'
import { noMeter } from '#kit/meter.ts'
import { unlimitedIntake } from '#limit/intakeRate.ts'
import { plugins } from '#plugins/index.ts'
import type { SendResult } from '#provider/engine/send.ts'
import type { WireRequest } from '#provider/engine/wireRequest.ts'
import type { Provider } from '#provider/form/provider.ts'
import { createSnapshots, type Snapshot } from '#script/snapshot.ts'
import { openSqliteStore } from '#store/sqlite/sqliteStore.ts'
import type { JournalEvent } from '#store/store.ts'
import { openLogStream } from '#stream/log/logStream.ts'
import { openEventProfiles } from '#user/eventProfile.ts'
import { openProfiles } from '#user/profiles.ts'
import { type TurnedClock, turnedClock, until } from './clock.ts'
import { anEvent, aProvider } from './tag.ts'

type SentRequest = WireRequest & { to: string; at: number; json: { eventId: string; [field: string]: unknown } }
type AnswerRequest = (sent: SentRequest) => SendResult | Promise<SendResult>
export const ok: SendResult = { status: 200, headers: {}, body: '', durationMs: 1 }
export const down: SendResult = { status: 503, headers: {}, body: '', durationMs: 1 }

export const keys = openKeyring(Buffer.alloc(32, 7), 'production')
keys.createTeamKey('team_1')

/** A data directory with a fake clock. Workers can be started on it, killed and started again. */
export async function openDeliveryHarness(
  tag: Snapshot,
  providers: Partial<Provider> = {},
  clock: TurnedClock = turnedClock(),
) {
  const directory = mkdtempSync(join(tmpdir(), 'aglet-worker-'))
  const lines: Parameters<Log>[0][] = []
  const log: Log = (line) => lines.push(line)
  const open = async () => {
    const store = await openSqliteStore(join(directory, 'store.db'))
    const stream = await openLogStream(join(directory, 'stream.db'), clock)
    const giveUp = new AbortController()
    const recentRecords = openRecentRecords()
    const profiles = openProfiles(
      { store, keys, clock, log, eventProfile: openEventProfiles({ store, stream, keys }) },
      giveUp.signal,
    )
    return { store, stream, profiles, giveUp, recentRecords, completions: watchCompletions({ store, stream, clock }) }
  }
  const disk = await open()
  const sent: SentRequest[] = []
  const channelEvents: ChannelEvent[] = []
  const vendor = { answer: (() => ok) as AnswerRequest }
  const deliveryDeps = (): DeliveryDeps => ({
    environment: 'production',
    brand: 'Service',
    clock,
    log,
    meter: noMeter,
    ...disk,
    ownership: wholeOwnership,
    leases: { holds: async () => true },
    intakeRate: unlimitedIntake,
    intakeLog: noIntakeLog,
    keys,
    snapshots,
    locate: () => ({ country: 'DE' }),
    providers: { eventSink: aProvider('eventSink', providers), facebook: aProvider('facebook') },
    plugins,
    rates: () => undefined,
    async send(request) {
      const sentRequest = {
        ...request,
        to: new URL(request.url).hostname,
        at: clock.now(),
        json: JSON.parse(request.body ?? '{}'),
      }
      sent.push(sentRequest)
      return vendor.answer(sentRequest)
    },
    onChannelEvent: (event) => channelEvents.push(event),
    keep: defaultRetention,
    runCode: async () => ({ notRun: 'off', message: 'no code runs here', logs: [] }),
    tagUrl: (tagId) => `https://aglet.example/t/${tagId}`,
    random: () => 0.5,
  })
  const snapshots = createSnapshots([tag])
  const workers: Worker[] = []
  const start = (more: Partial<DeliveryDeps> = {}) => {
    const worker = startWorker({ ...deliveryDeps(), ...more })
    void worker.gained(allSlots)
    workers.push(worker)
    return worker
  }
  const close = async () => {
    disk.giveUp.abort()
    await disk.stream.close()
    await disk.store.close()
  }
  /** Closes the store and the stream under the running workers. Only data on disk remain. */
  const crash = async () => {
    workers.length = 0
    await close()
    Object.assign(disk, await open())
  }
  // after the test that opened it, so that its workers and threads do not slow down later tests
  after(async () => {
    await Promise.all(workers.map((worker) => worker.stop()))
    await close()
    rmSync(directory, { recursive: true, force: true })
  })
  return { disk, clock, sent, channelEvents, lines, vendor, snapshots, deliveryDeps, start, crash, workers }
}
export type DeliveryHarness = Awaited<ReturnType<typeof openDeliveryHarness>>

/** Accepts a body of events as the edge does. */
export async function acceptEvents(
  { disk, clock }: DeliveryHarness,
  events: TagEvent | TagEvent[],
  more: Partial<EventContext> = {},
) {
  const context: EventContext = {
    tagId: 'tag_1',
    teamId: 'team_1',
    userId: 'usr_1',
    hasExplicitUserId: true,
    trusted: false,
    receivedAt: clock.now(),
    ...more,
  }
  const payload = sealRecord([{ context, body: Buffer.from(JSON.stringify(events)) }], context, keys)
  const eventIds = [events].flat().map(({ eventId }) => eventId)
  await disk.stream.append({ tagId: 'tag_1', payload, ...dedupKeys(eventIds, context, keys) })
}

export async function journeyOf({ disk }: DeliveryHarness, eventId: string): Promise<JournalEvent | undefined> {
  const [place] = await placesOfId(eventId, { tagId: 'tag_1', teamId: 'team_1' }, { stream: disk.stream, keys })
  return place && disk.store.journal.event('tag_1', place.position, place.index)
}
const statusOf = async (deps: DeliveryHarness, eventId = 'event-1', script = 0) => {
  const delivery = (await journeyOf(deps, eventId))?.deliveries[script]
  return (
    delivery &&
    [delivery.status, delivery.reason, delivery.attempts.length].filter((each) => each !== undefined).join(' ')
  )
}

/** Waits for a state of the delivery of an event to one script: `pending vendorDown 2` after two attempts. */
export const waitForStatus = (deps: DeliveryHarness, status: string, eventId = 'event-1', script = 0) =>
  until(`${eventId} is ${status}`, async () => (await statusOf(deps, eventId, script)) === status)
export const manyEvents = (deps: DeliveryHarness, count: number, from = 0) =>
  Array.from({ length: count }, (_, number) => anEvent(deps.clock.now(), { eventId: `event-${from + number}` }))
