import type { MatchQuality } from '#contract/matchQuality.ts'
import { identityOf } from '#provider/engine/identity.ts'
import { unknownConsent } from '#provider/form/consentSignals.ts'
import { loadPhoneNumbers } from '#provider/form/phone.ts'
import { providers } from '#providers/index.ts'
import type { MatchCount } from '#store/matchCounts.ts'
import type { Snapshot } from '#store/snapshot.ts'
import { type DeliveredEvent, openMatchCounter } from './matchCounter.ts'
import { MatchNotes } from './matchNotes.ts'
import { matchReport } from './matchReport.ts'

loadPhoneNumbers()

/** A full hour: epoch ms. */
export const hour = 1_789_999_200_000
export const hourMs = 3_600_000

const tag: Snapshot = {
  ...{ tagId: 'tag_1', teamId: 'team_1', number: 1, name: 'shop', domain: 'shop.example', hosts: [] },
  ...{ allowedOrigins: [], consent: 'enabled', gpc: false, sameSite: 'Lax', serverToken: 'optional' },
  ...{ plugins: [], scripts: [] },
}

export type EventParts = {
  person?: Record<string, string>
  captured?: Record<string, string>
  data?: Record<string, unknown>
  eventName?: string
  eventId?: string
  pageUrl?: string
  isFromServer?: boolean
  isCallerAddress?: boolean
  n?: number
}

/** An event that the channel `scr_1` of Meta delivered. */
export function delivered({ n = 0, person = {}, captured = {}, data = {}, ...more }: EventParts): DeliveredEvent {
  const event = {
    eventName: more.eventName ?? 'PageView',
    eventId: more.eventId ?? `evt-${n}`,
    timestamp: hour,
    data,
    ...(more.pageUrl && { pageUrl: more.pageUrl }),
  }
  return {
    ...{ tag, scriptId: 'scr_1', provider: providers.facebook!, place: { position: n, index: 0 } },
    outgoing: {
      ...{ event, custom: {}, consent: unknownConsent },
      identity: identityOf({ userId: `usr_${n}`, ...person }),
      matchNotes: new MatchNotes(),
      captured: Object.fromEntries(Object.entries(captured).map(([name, value]) => [name, { value, at: hour }])),
      ...(more.isFromServer && { isFromServer: true }),
      ...(more.isCallerAddress && { isCallerAddress: true }),
    },
  }
}

/** The counts of events, each counted at its hour. */
export function countAll(events: readonly { event: DeliveredEvent; at: number }[]): MatchCount[] {
  const counter = openMatchCounter()
  for (const { event, at } of events) counter.add(event, at)
  return counter.take()
}

export const reportOf = (rows: readonly MatchCount[]) =>
  matchReport(
    [{ scriptId: 'scr_1', name: 'Meta', providerId: 'facebook', provider: providers.facebook! }],
    { sums: [...rows], steps: [] },
    { hasIntervals: false, hasKeys: false },
  )[0]!

export const reportOfEvents = (parts: readonly EventParts[]) =>
  reportOf(countAll(parts.map((each) => ({ event: delivered(each), at: hour }))))

/** A report of one channel. `withStrongKey`: the share of its events with a strong key. */
export const reportWith = (events: number, withStrongKey: number): Pick<MatchQuality, 'channels'> => ({
  channels: [
    {
      ...{ scriptId: 'scr_1', name: 'Meta', providerId: 'facebook', events, withStrongKey },
      ...{ eventsBySource: { browser: events, server: 0 }, keys: [], findings: [], byEvent: [] },
      coverage: withStrongKey >= 0.9 ? 'good' : withStrongKey >= 0.6 ? 'fair' : 'poor',
    },
  ],
})
