import type { TagEvent } from '#contract/event.ts'
import type { BuildInput } from './build.ts'
import { hashed, identityOf, plain } from './identity.ts'
import type { Person } from './person.ts'
import { provider } from './provider.ts'

/** A provider that shows what it was given. */
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
  custom: (eventName) => (eventName.startsWith('x_') ? undefined : `own_${eventName}`),
  user: { em: hashed('email'), ip: plain('ip') },
  requires: ['em', 'captured.click'],
  captures: [{ query: 'click' }],
  maxAgeMs: 1_000,
  dedup: 'id',
  request: ({ event, user, value, captured, custom }, secrets, name) => ({
    url: 'https://mirror.example/in',
    headers: { 'X-Key': secrets.KEY },
    json: { name, id: event.eventId, url: event.pageUrl, user, value, captured, custom, note: secrets.NOTE },
  }),
  answers: [
    { at: 'error.code', in: [190], is: 'keyRejected' },
    { status: 400, at: 'error.code', in: [4], is: 'throttled' },
    { at: 'errors.0.retry', in: [true], is: 'again' },
    { status: 200, at: 'failure', is: 'refused' },
    { status: 409, is: 'delivered' },
  ],
  examples: [],
})

export const now = 1_700_000_000_000

type Given = Partial<Omit<BuildInput, 'event' | 'identity'>> & { event?: object; person?: Person }

export const anInput = ({ event, person = { email: 'a@b.example' }, ...more }: Given = {}): BuildInput => ({
  event: { eventName: 'PageView', eventId: 'evt-1', timestamp: now, ...event } as TagEvent,
  identity: identityOf(person),
  captured: {},
  purchaseValueMode: 'gross',
  secrets: { KEY: 'k3y-of-mirror' },
  now,
  ...more,
})
