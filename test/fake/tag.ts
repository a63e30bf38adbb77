import type { TagEvent } from '#contract/event.ts'
import type { ProviderId } from '#contract/providerIds.ts'
import { type Provider, provider } from '#provider/form/provider.ts'
import type { Snapshot, SnapshotScript } from '#script/snapshot.ts'

export const aScript = (scriptId: string, more: Partial<SnapshotScript> = {}): SnapshotScript => ({
  scriptId,
  name: scriptId,
  providerId: 'eventSink',
  purchaseValueMode: 'gross',
  secrets: {},
  ...more,
})

/** A live tag, by default without required consent. */
export const aTag = (scripts: SnapshotScript[], more: Partial<Snapshot> = {}): Snapshot => ({
  tagId: 'tag_1',
  teamId: 'team_1',
  number: 1,
  name: 'shop',
  domain: 'shop.example',
  hosts: [],
  allowedOrigins: [],
  consent: 'disabled',
  gpc: false,
  sameSite: 'Lax',
  serverToken: 'optional',
  plugins: [],
  scripts,
  ...more,
})

/** A destination of every event except `Search`. It receives the event id as JSON, at an address with the provider's id. */
export const aProvider = (id: ProviderId, more: Partial<Provider> = {}): Provider => ({
  ...provider({
    label: id,
    stage: 'live',
    consent: ['analytics', 'advertising'],
    docs: 'https://docs.example',
    host: 'customer',
    secrets: {},
    events: { PageView: 'page', Purchase: 'order' },
    customEventName: (eventName) => (eventName === 'Search' ? undefined : eventName),
    user: {},
    personId: 'none',
    dedup: 'eventId',
    request: ({ event }) => ({ url: `https://${id}.example/`, json: { eventId: event.eventId } }),
  }),
  ...more,
})

export const anEvent = (timestamp: number, more: Record<string, unknown> = {}) =>
  ({ eventName: 'PageView', eventId: 'event-1', timestamp, ...more }) as TagEvent
