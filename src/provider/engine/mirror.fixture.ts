import type { TagEvent } from '#contract/event.ts'
import type { RawPerson } from '#provider/form/person.ts'
import { provider } from '#provider/form/provider.ts'
import { hashed, plain } from '#provider/form/userRule.ts'
import type { BuildInput } from './buildRequests.ts'
import { identityOf } from './identity.ts'

/** A provider whose requests contain their input. */
export const mirror = provider({
  label: 'Mirror',
  stage: 'draft',
  consent: ['advertising'],
  docs: 'https://mirror.example/docs',
  host: 'fixed',
  secrets: {
    KEY: { label: 'Key', type: 'PASSWORD' },
    NOTE: {
      label: 'Note',
      type: 'TEXT',
      optional: true,
      check: (text) => (text === 'bad' ? 'Write another.' : undefined),
    },
  },
  events: { Purchase: 'bought', PageView: 'seen' },
  customEventName: (eventName) => (eventName.startsWith('x_') ? undefined : `own_${eventName}`),
  user: { em: hashed('email'), ip: plain('ip') },
  personId: 'none',
  requires: ['em', 'captured.click'],
  captures: [{ query: 'click' }],
  maxAgeMs: 1_000,
  dedup: 'id',
  request: ({ event, user, value, captured, custom }, secrets, name) => ({
    url: 'https://mirror.example/in',
    headers: { 'X-Key': secrets.KEY },
    json: { name, id: event.eventId, url: event.pageUrl, user, value, captured, custom, note: secrets.NOTE },
  }),
  responseRules: [
    { path: 'error.code', equalsAny: [190], verdict: 'keyRejected' },
    { status: 400, path: 'error.code', equalsAny: [4], verdict: 'throttled' },
    { path: 'errors.0.retry', equalsAny: [true], verdict: 'retry' },
    { status: 200, path: 'failure', verdict: 'refused' },
    { status: 409, verdict: 'delivered' },
  ],
})

export const now = 1_700_000_000_000

type Given = Partial<Omit<BuildInput, 'event' | 'identity'>> & { event?: object; person?: RawPerson }

export const anInput = ({ event, person = { email: 'a@b.example' }, ...more }: Given = {}): BuildInput => ({
  event: { eventName: 'PageView', eventId: 'evt-1', timestamp: now, ...event } as TagEvent,
  identity: identityOf(person),
  captured: {},
  purchaseValueMode: 'gross',
  secrets: { KEY: 'k3y-of-mirror' },
  now,
  ...more,
})
