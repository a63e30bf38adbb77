import { at, exampleValues, type OperationExamples } from './example.ts'

const { scriptId, userId, deliveryId, previewId } = exampleValues
const code = `${previewId}.t1e2q0.n.k3V0mZr8Qx5cB7yN2pLw9A`

export const testExamples = {
  testTag: {
    body: {
      event: {
        eventName: 'Purchase',
        data: { value: 30, currency: 'EUR' },
        storage: { service: { consent: { all: true } } },
      },
      scriptIds: [scriptId],
      send: true,
    },
    response: {
      isTest: true,
      eventId: 'test-5f1c2a7d9e3b4860',
      eventName: 'Purchase',
      userId,
      receivedAt: at,
      consent: { source: 'event', at, decided: { consent: { all: true } } },
      place: { source: 'unknown' },
      trusted: true,
      deliveries: [
        {
          deliveryId,
          scriptId,
          providerId: 'eventSink',
          status: 'delivered',
          attempts: [{ at, durationMs: 84, status: 200 }],
        },
      ],
    },
  },
  createPreviewLink: {
    body: { draft: true, deliver: 'none', expiresIn: 3_600 },
    response: {
      previewId,
      url: `https://www.example.com/?aglet_preview=${code}`,
      code,
      deliver: 'none',
      expiresAt: at + 3_600_000,
    },
  },
  listPreviewEvents: {
    response: {
      events: [
        {
          number: 1,
          kind: 'event',
          isPlanned: true,
          journey: {
            eventId: 'order-1001',
            eventName: 'Purchase',
            userId,
            receivedAt: at,
            consent: { source: 'event', at, decided: { consent: { all: true } } },
            place: { source: 'unknown' },
            trusted: false,
            deployment: 8,
            deliveries: [{ deliveryId, scriptId, providerId: 'eventSink', status: 'simulated', attempts: [] }],
          },
        },
      ],
    },
  },
} satisfies OperationExamples
