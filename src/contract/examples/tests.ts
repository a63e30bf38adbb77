import { at, exampleValues, type OperationExamples } from './example.ts'

const { scriptId, userId, deliveryId } = exampleValues

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
} satisfies OperationExamples
