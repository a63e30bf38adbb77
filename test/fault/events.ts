import { createHash } from 'node:crypto'

/** One event as sent, and the user that its request names. */
export type SentEvent = {
  userId: string
  event: { eventName: string; eventId: string; timestamp: number; userEmail?: string; data?: Order; storage: object }
}
type Order = { value: number; currency: string; orderId: string }

const agreed = { service: { consent: { all: true } } }

/** The event with this number. Each has a different person; every third is a purchase, every second has an e-mail. */
export function eventOf(name: string, number: number, timestamp: number): SentEvent {
  const eventId = `${name}-${number}`
  const isOrder = number % 3 === 0
  return {
    userId: `person-${eventId}`,
    event: {
      eventName: isOrder ? 'Purchase' : 'PageView',
      eventId,
      timestamp,
      ...(number % 2 === 0 && { userEmail: `${eventId}@example.com` }),
      ...(isOrder && { data: { value: number / 100, currency: 'EUR', orderId: `${number}` } }),
      storage: agreed,
    },
  }
}

const digest = (text: string) => createHash('sha256').update(text).digest('hex')

/** A kind of channel: the exact bodies that a destination must receive, defined independently of the product. */
export type ChannelKind = {
  providerId: 'eventSink' | 'facebook'
  secrets(url: string): { variable: string; type: 'TEXT' | 'IDENTIFIER' | 'PASSWORD'; value: string }[]
  /** The ids of the events in a request's body. */
  idsIn(body: string): string[]
  /** The body that carries these events. */
  bodyOf(sent: readonly SentEvent[]): string
}

const sink: ChannelKind = {
  providerId: 'eventSink',
  secrets: (url) => [{ variable: 'EVENT_SINK_URL', type: 'TEXT', value: `${url}/events` }],
  idsIn: (body) => [JSON.parse(body).payload.eventId],
  bodyOf: ([{ userId, event }]: readonly SentEvent[] & [SentEvent]) =>
    JSON.stringify({
      action: 'tag',
      payload: event,
      user: { userId, ...(event.userEmail !== undefined && { email: event.userEmail }) },
      query: {},
      customData: {},
    }),
}

const accessToken = 'EAAtoken1234567890'
const meta: ChannelKind = {
  providerId: 'facebook',
  secrets: () => [
    { variable: 'FACEBOOK_PIXEL_ID', type: 'IDENTIFIER', value: '123456789' },
    { variable: 'FACEBOOK_ACCESS_TOKEN', type: 'PASSWORD', value: accessToken },
  ],
  idsIn: (body) => JSON.parse(body).data.map(({ event_id }: { event_id: string }) => event_id),
  bodyOf: (sent) => JSON.stringify({ data: sent.map(metaRow), access_token: accessToken }),
}

function metaRow({ userId, event: { eventName, eventId, timestamp, userEmail, data } }: SentEvent) {
  return {
    event_name: eventName,
    event_time: Math.floor(timestamp / 1000),
    event_id: eventId,
    // without a page or browser
    action_source: 'system_generated',
    user_data: { ...(userEmail !== undefined && { em: [digest(userEmail)] }), external_id: [digest(userId)] },
    ...(data && { custom_data: { value: data.value, currency: data.currency, order_id: data.orderId } }),
  }
}

export const kinds = { sink, meta }
