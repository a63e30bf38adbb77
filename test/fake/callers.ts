import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after } from 'node:test'
import type { TeamAccess } from '#account/teamAccess.ts'
import type { Scope } from '#contract/scopes.ts'
import { placesOfId } from '#event/dedupKeys.ts'
import { noIntakeLog } from '#journal/intakeLog.ts'
import { noRunLog } from '#journal/runLog.ts'
import { noMeter } from '#kit/meter.ts'
import { unlimitedIntake } from '#limit/intakeRate.ts'
import type { Provider } from '#provider/form/provider.ts'
import { plainFields } from '#provider/form/userRule.ts'
import { createSnapshots } from '#script/snapshot.ts'
import type { JournalEvent } from '#store/store.ts'
import { compileCaptureRules } from '#user/captureRules.ts'
import type { Profile } from '#user/profile.ts'
import { ask, tagId, teamId } from '../../src/edge/edge.fixture.ts'
import type { EdgeDeps } from '../../src/edge/edgeDeps.ts'
import { edgeRouter } from '../../src/edge/router.ts'
import { until } from './clock.ts'
import { keys, openDeliveryHarness } from './deliveryHarness.ts'
import { aProvider, aScript, aTag } from './tag.ts'

export type Consent = 'none' | 'yes' | 'no' | 'noAds' | 'noPii'
/** The consent maps of `storage.service`; absent without a consent. */
export const maps: Record<Exclude<Consent, 'none'>, object> = {
  yes: { consent: { all: true } },
  no: { consent: { all: false } },
  noAds: { consentCategories: { all: true, advertising: false } },
  noPii: { consent: { all: true }, consentCategories: { all: true, share_pii: false } },
}

/**
 * One call of the edge. `who` is the caller: the shop, whose calls carry a token, or a visitor by number. `as` is the user
 * id of the call. E-mails, customer ids and users are numbers, so that the same calls can be repeated for other people.
 */
export type Call = {
  kind: 'tag' | 'consent' | 'user' | 'data' | 'init' | 'keys'
  who: 'shop' | number
  as?: string
  email?: number
  customer?: number
  consent: Consent
  says: boolean
  clicked: boolean
  isSync: boolean
}

/**
 * The result of a call: its response, and for an event its journey, the requests of each channel, and the profiles of the
 * users whose data it was joined with, as they were at delivery.
 */
export type Done = {
  call: Call
  place: number
  answer: unknown
  eventId: string
  sent: Sent[]
  joined: Map<string, Profile>
  journey?: JournalEvent
}
type Sent = {
  channel: string
  userId?: string
  customerId?: string
  phone?: string
  city?: string
  click?: string
}

const channels = ['eventSink', 'facebook'] as const
const recordingProvider = (id: (typeof channels)[number]): Provider =>
  aProvider(id, {
    consent: [id === 'facebook' ? 'advertising' : 'analytics'],
    captures: [{ query: 'fbclid' }],
    user: plainFields,
    request: ({ event, user: { userId, customerId, phone, city }, captured }) => ({
      url: `https://${id}.example/`,
      json: { eventId: event.eventId, channel: id, userId, customerId, phone, city, click: captured.fbclid?.value },
    }),
  })

/** The edge on a loopback port and a worker, on stores on disk. Calls are made in sequence. */
export async function openCallers() {
  keys.createTeamKey(teamId)
  const scripts = channels.map((providerId, n) => aScript(`scr_${n}`, { providerId }))
  const tag = aTag(scripts, { tagId, teamId, domain: 'example.com', consent: 'enabled' })
  const harness = await openDeliveryHarness(tag)
  const { disk, clock } = harness
  const providers = Object.fromEntries(channels.map((id) => [id, recordingProvider(id)]))
  const snapshots = createSnapshots([tag])
  harness.start({ snapshots, providers })
  const access: TeamAccess = {
    by: 'tok',
    teamId,
    application: 'shop',
    scopes: new Set<Scope>(['event:write']),
  }
  const captures = [{ query: 'fbclid' }]
  const deps: EdgeDeps = {
    environment: 'production',
    prefix: '/t/',
    brand: 'Service',
    development: false,
    trustProxy: { ranges: [] },
    clock,
    log: () => {},
    meter: noMeter,
    keys,
    snapshots,
    ...disk,
    authenticate: async () => access,
    providers,
    captures: { ofScript: async () => captures, ofTag: () => compileCaptureRules(captures) },
    variables: async () => ({}),
    plaintexts: async () => ({}),
    deliveriesOf: async (_, eventId, trusted) => {
      const key = keys.team(teamId).eventKey(tagId, eventId, trusted)
      const deliveries = await disk.completions.deliveriesOf(tagId, key, 10_000)
      return deliveries.map(({ scriptId, providerId, status }) => ({ scriptId, providerId, status }))
    },
    tagUrl: (of) => `https://aglet.example/t/${of}`,
    runCode: async () => ({ notRun: 'off', message: 'no code is run here', logs: [] }),
    retryAfterSeconds: () => undefined,
    countMemory: () => ({ add() {}, release() {} }),
    isFull: () => false,
    intakeRate: unlimitedIntake,
    intakeLog: noIntakeLog,
    runLog: noRunLog,
    sdk: [],
  }
  const router = edgeRouter([deps])
  const server = createServer((request, response) => void router.answer(request, response)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  after(() => {
    server.closeAllConnections()
    server.close()
  })

  const journeyOf = async (eventId: string) => {
    const [place] = await placesOfId(eventId, tag, { stream: disk.stream, keys })
    return place && disk.store.journal.event(tagId, place.position, place.index)
  }
  const isOver = (journey: JournalEvent | undefined) =>
    journey?.deliveries.every(({ status }) => status !== 'pending') ?? false

  /** Waits until the event is delivered, and records the joined profiles, because a later call may change them. */
  async function noteJoined({ eventId, joined }: Done): Promise<void> {
    await until('the event is delivered', async () => isOver(await journeyOf(eventId)))
    for (const { attempts } of (await journeyOf(eventId))!.deliveries) {
      const userId = attempts[0]?.joined
      if (userId && !joined.has(userId)) joined.set(userId, (await disk.profiles.get({ tag, userId }))!)
    }
  }

  let runs = 0
  /** Makes these calls as new people, and returns the result of each. */
  async function run(calls: readonly (Call | undefined)[]): Promise<Done[]> {
    const name = `r${runs++}`
    const done: Done[] = []
    for (const [place, call] of calls.entries()) {
      if (!call) continue
      const eventId = `${name}-${place}`
      const answer = await ask(port, requestOf(call, { name, eventId, at: clock.now() + 10 * place }))
      if (answer.status !== 200) throw new Error(`${JSON.stringify(call)} was answered ${answer.text}`)
      await until('the worker has read the call', async () => (await disk.stream.waiting()) === 0)
      done.push({ call, place, answer: withoutName(answer.json, name), eventId, sent: [], joined: new Map() })
      for (const each of done) if (each.call.kind === 'tag') await noteJoined(each)
    }
    for (const each of done.filter(({ call }) => call.kind === 'tag')) {
      const sent = harness.sent.filter(({ json }) => json.eventId === each.eventId)
      each.sent = sent.map(({ json: { eventId: _, ...json } }) => withoutName(json, name) as Sent)
      each.journey = (await journeyOf(each.eventId))!
    }
    return done
  }
  const emailOf = (eventId: string, email: number) =>
    disk.profiles.emailKey(tag, addressOf(eventId.split('-')[0]!, email))
  return { run, emailOf, script: scripts }
}

const addressOf = (name: string, email: number) => `${name}-${email}@example.com`

/** Replaces the parts that differ between runs: the name of the run, and generated ids. */
const withoutName = (value: unknown, name: string): unknown =>
  JSON.parse(
    JSON.stringify(value)
      .replaceAll(`${name}-`, 'run-')
      .replace(/\bses_[0-9a-z]{26}\b/g, 'ses'),
  )

type Run = { name: string; eventId: string; at: number }

function requestOf(
  { kind, who, as, email, customer, consent, says, clicked, isSync }: Call,
  { name, eventId, at }: Run,
) {
  const isShop = who === 'shop'
  const headers: Record<string, string> = {
    ...(isShop ? { authorization: 'Bearer good', 'team-id': teamId } : as && { origin: 'https://example.com' }),
    ...(as && { serviceuserid: `${name}-${as}` }),
  }
  const address = email === undefined ? undefined : addressOf(name, email)
  const customerId = customer === undefined ? undefined : `${name}-c${customer}`
  const named = { ...(address && { userEmail: address }), ...(customerId && { userCustomerId: customerId }) }
  const words = { ...(says && { userPhone: `+${who}`, userCity: `city of ${who}` }) }
  const given = consent === 'none' ? undefined : maps[consent]
  const common = { eventId, timestamp: at }
  const path = (call: string) => `/t/${tagId}${call}`
  switch (kind) {
    case 'init':
      return { method: 'GET', path: path('/init'), headers }
    case 'keys':
      return {
        method: 'GET',
        path: path(customerId || address ? `/keys?${new URLSearchParams(named)}` : '/data?keys=email,phone,x'),
        headers,
      }
    case 'consent': {
      const { consent: consentString, consentCategories } = (given ?? maps.yes) as Record<string, unknown>
      const body = { ...common, consentString, consentCategories, ...named }
      return { path: path('/consent'), headers, body }
    }
    case 'user':
      return {
        path: path('/user'),
        headers,
        body: { ...common, key: 'email', value: address ?? `none-${name}@x.example` },
      }
    case 'data':
      return {
        path: path('/data'),
        headers,
        body: {
          ...common,
          data: { x: `of ${who}`, ...(address && { email: address }), ...(customerId && { customerId }) },
        },
      }
    case 'tag': {
      const event = {
        ...common,
        eventName: 'Purchase',
        ...words,
        ...named,
        ...(clicked && { search: `?fbclid=click-of-${who}-${eventId}` }),
        ...(given && { storage: { service: given } }),
      }
      return { path: path(isSync ? '/tag?sync=true' : '/tag'), headers, body: event }
    }
  }
}
