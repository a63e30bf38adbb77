import { at, exampleValues, type OperationExamples } from './example.ts'

const { tagId, teamId, scriptId, tokenId, userId, eventId, deliveryId } = exampleValues
const row = { eventId, eventName: 'Purchase', userId, receivedAt: at }
const terms = { policyType: 'TERMS_AND_CONDITIONS', version: '2026-11' } as const
const delivery = {
  deliveryId,
  eventName: 'Purchase',
  userId,
  scriptId,
  providerId: 'eventSink',
  status: 'pending',
  reason: 'vendorDown',
  receivedAt: at,
  at: at + 160,
  attempts: 1,
  nextAt: at + 5_100,
  httpStatus: 503,
  message: 'HTTP 503: service unavailable',
} as const
const share = { counts: { delivered: 114, dead: 6 }, total: 120, perMinute: 2, deliveredRate: 0.95 }
const percentiles = { count: 114, p50Ms: 42, p95Ms: 180, p99Ms: 420 }
const latency = { response: percentiles, delivery: percentiles }
const buckets = [
  { toMs: 56.2, count: 80 },
  { toMs: 562, count: 34 },
]
const intake = { accepted: 120, duplicate: 2, rejected: 1, refused: { ORIGIN_REFUSED: 4 } }
const hour = { from: at - 3_600_000, to: at, step: 'minute' } as const
const parts = [
  { status: 'delivered', count: 114 },
  { status: 'dead', reason: 'vendorDown', count: 6 },
] as const
const encryptionKey = {
  kty: 'RSA',
  kid: 'uy4_W9ZwLlsXJbyfqnDkPLqed2ZXcSHVmQpjJLCIzcc',
  use: 'enc',
  alg: 'RSA-OAEP-256',
  n: '3nEvQhqKVf7I1XT6-RNQvhdaVVd2NdeCjcExW_uafsaX8kZfioDb8USV3AK6mHyE…',
  e: 'AQAB',
} as const
const me = {
  teamId,
  environment: 'production',
  application: 'Channel wizard',
  scopes: ['script:read', 'script:write'],
  hasPolicies: false,
  encryptionKey,
  tags: [{ tagId, name: 'shop', tagUrl: `https://aglet.example.com/t/${tagId}` }],
} satisfies NonNullable<OperationExamples['readMe']>['response']

export const eventExamples = {
  listEvents: { response: { events: [{ ...row, counts: { delivered: 1 } }], next: 'Mw' } },
  readEvent: {
    response: {
      ...row,
      caller: 'trusted',
      consent: { source: 'event', decided: { all: true } },
      place: { country: 'DE', region: 'DE-BE', source: 'request' },
      deliveries: [
        {
          deliveryId,
          scriptId,
          providerId: 'eventSink',
          status: 'delivered',
          attempts: [
            { at: at + 40, status: 503, durationMs: 120, message: 'service unavailable' },
            { at: at + 5_100, status: 200, durationMs: 35 },
          ],
        },
      ],
    },
  },
  listDeliveries: { response: { deliveries: [{ ...delivery, eventId }], next: 'Mw' } },
  readStats: {
    response: {
      from: at - 3_600_000,
      to: at,
      step: 'minute',
      events: { total: 120, perMinute: 2 },
      refusedCalls: { total: 0, ofTeam: 0, ofTag: 0 },
      deliveries: share,
      latency: { response: { ...percentiles, buckets }, delivery: { ...percentiles, buckets } },
      byScript: [{ scriptId, ...share, latency }],
      byEvent: [{ eventName: 'Purchase', events: 120, ...share }],
      byReason: [{ status: 'dead', reason: 'vendorDown', count: 6 }],
      series: [{ at, events: 2, refusedCalls: 0, counts: { delivered: 2 }, latency }],
      issues: [{ eventName: 'Purchase', path: 'data.currency', message: 'is required', count: 3 }],
    },
  },
  readTeamStats: {
    response: {
      ...hour,
      tags: [
        {
          tagId,
          name: 'shop',
          events: { total: 120, perMinute: 2 },
          refusedCalls: { total: 0, ofTeam: 0, ofTag: 0 },
          deliveries: share,
          series: [{ at, events: 2, counts: { delivered: 2 } }],
        },
      ],
    },
  },
  readFunnel: {
    response: {
      from: hour.from,
      to: hour.to,
      events: 120,
      planned: 120,
      parts: [...parts],
      byScript: [{ scriptId, planned: 120, parts: [...parts] }],
    },
  },
  listChannels: {
    response: {
      channels: [
        {
          scriptId,
          name: 'warehouse',
          providerId: 'eventSink',
          state: 'vendorDown',
          health: 'stopped',
          lastHour: { delivered: 40, failed: 2, runs: 0, failedRuns: 0 },
          reason: 'vendorDown',
          since: at,
          nextAt: at + 10_000,
          waiting: 6,
          held: 0,
          oldestAt: at - 30_000,
          lastDeliveredAt: at - 60_000,
          lastError: {
            at,
            deliveryId,
            eventId,
            status: 'pending',
            reason: 'vendorDown',
            httpStatus: 503,
            message: 'HTTP 503: service unavailable',
          },
        },
      ],
    },
  },
  listRuns: {
    response: {
      runs: [
        {
          runId: 'run_01kahr3m5we7tbs9d2q6n4x7pq',
          at,
          durationMs: 12,
          status: 500,
          request: { method: 'POST', path: '/', contentType: 'application/json', body: '{"order":1001}' },
          error: { message: 'TypeError: Invalid URL', line: 7, column: 15 },
          logs: [{ level: 'log', text: 'order 1001' }],
          eventIds: [],
        },
      ],
    },
  },
  readIntake: {
    response: {
      ...hour,
      ...intake,
      series: [{ at, ...intake }],
      refusals: [{ at, code: 'ORIGIN_REFUSED', method: 'POST', path: '/tag', origin: 'https://other.example.com' }],
      seen: [
        { call: 'tag', at, host: 'shop.example.com' },
        { call: 'load', at: at - 900, host: 'shop.example.com', sdkVersion: '1.0.0' },
      ],
    },
  },
  exportTag: { response: { eventId, eventName: 'Purchase', receivedAt: at } },
  exportAudit: { response: { at, by: tokenId, what: 'updateScript', object: scriptId } },
  watchDeliveries: { response: { ...delivery, eventId } },
  readUser: {
    response: {
      userId,
      keys: { email: 'jane@example.com' },
      captured: { fbclid: { value: 'IwAR2…', at } },
      consent: { at, consentCategories: { advertising: true } },
      place: { country: 'DE', region: 'DE-BE' },
      seenAt: at,
      events: [row],
    },
  },
  findUser: {
    body: { email: 'jane@example.com' },
    response: { users: [{ userId, seenAt: at, isConfirmed: true }], searched: ['users', 'claims', 'events'] },
  },
  eraseUser: { response: { userId, events: 1 } },
  simulate: {
    body: {
      code: "async tag({ event, secrets, fetch }) { await fetch('https://crm.example.com/' + event.eventId) }",
      secrets: { API_KEY: 'k-1' },
      events: [{ eventName: 'PageView', eventId, timestamp: at }],
    },
    response: {
      results: [
        {
          eventId,
          requests: [{ method: 'GET', url: `https://crm.example.com/${eventId}`, headers: {} }],
          logs: [],
          result: null,
        },
      ],
    },
  },
  preview: {
    body: {
      provider: 'eventSink',
      secrets: { EVENT_SINK_URL: 'https://warehouse.example.com/in' },
      event: { eventName: 'PageView', eventId, timestamp: at },
      now: at,
    },
    response: {
      requests: [
        {
          method: 'POST',
          url: 'https://warehouse.example.com/in',
          headers: { 'content-type': 'application/json' },
          body: '{"action":"tag","payload":{"eventName":"PageView","eventId":"order-1001"}}',
        },
      ],
    },
  },
  readLatestPolicies: { response: { policies: [terms] } },
  readPolicy: {
    response: {
      ...terms,
      accepted: true,
      required: true,
      url: 'https://aglet.example.com/terms',
      acceptedAt: 1790000000000,
      by: 'per_01k5x4r2tnfa7vq0yd0n9c2b3e',
    },
  },
  acceptPolicy: { body: terms, response: {} },
  listAudit: {
    response: {
      entries: [
        {
          at,
          by: tokenId,
          what: 'updateScript',
          object: scriptId,
          from: '203.0.113.7',
          before: { geoRegions: 'EU' },
          after: { geoRegions: 'EU,US,-US-CA' },
        },
      ],
      next: 'Mw',
    },
  },
  readManifest: {
    response: {
      sdkVersions: ['1.0.0'],
      edgeVersions: ['1.0.0'],
      hosts: [
        { label: 'This server', value: 'standalone', cname: { allowChange: false, show: false, defaultCname: false } },
      ],
      providers: [
        {
          label: 'Event sink',
          value: 'eventSink',
          package: '',
          stage: 'live',
          consentCategory: ['analytics', 'advertising', 'functional', 'necessary'],
          secrets: [
            {
              variable: 'EVENT_SINK_URL',
              label: 'Address',
              type: 'TEXT',
              inputType: 'text',
              optional: false,
              sensitive: false,
            },
          ],
        },
      ],
      plugins: [],
    },
  },
  readMe: { response: me },
  readUserMe: { response: me },
  readKeys: { response: { keys: [encryptionKey] } },
  readOpenapi: { response: { openapi: '3.1.0', info: { title: 'Aglet', version: '1.0.0' } } },
} satisfies OperationExamples
