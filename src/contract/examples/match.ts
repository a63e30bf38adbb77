import { at, exampleValues, type OperationExamples } from './example.ts'

const { scriptId, eventId } = exampleValues

export const matchExamples = {
  readMatchQuality: {
    response: {
      from: at - 604_800_000,
      to: at,
      channels: [
        {
          scriptId,
          name: 'Meta',
          providerId: 'facebook',
          events: 8_610,
          eventsBySource: { browser: 5_410, server: 3_200 },
          withStrongKey: 0.71,
          coverage: 'fair',
          keys: [
            {
              key: 'email',
              vendorKey: 'em',
              strength: 'strong',
              share: 0.71,
              shareBySource: { browser: 0.55, server: 0.98 },
              faulty: 0.004,
            },
          ],
          findings: [
            {
              code: 'SERVER_ADDRESS_SENT',
              share: 0.18,
              example: { eventId },
              advice: 'Send the IP address of the buyer in `ip`, not the address of your server.',
            },
          ],
          vendor: {
            name: 'event_match_quality',
            of: 10,
            at,
            score: 7.8,
            events: [{ eventName: 'Purchase', score: 7.8, coverage: 0.96 }],
          },
          byEvent: [{ eventName: 'Purchase', events: 1_200, withStrongKey: 0.98 }],
        },
      ],
    },
  },
} as const satisfies OperationExamples
