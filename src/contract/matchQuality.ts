import { FilterId, TimeMs } from './deliveryFilters.ts'
import type { Operation } from './operation.ts'
import { EpochMs, OptionalNumber, OptionalTime, type Static, Type } from './schema.ts'

/** Problems that prevent a vendor from matching people in events. */
export const matchFindingCodes = [
  'EMPTY_HASH',
  'PLACEHOLDER_HASH',
  'DOUBLE_HASH',
  'PHONE_WITHOUT_COUNTRY',
  'CLICK_ID_MALFORMED',
  'CLICK_ID_OLD',
  'SERVER_ADDRESS_SENT',
  'PRIVATE_ADDRESS',
  'USER_AGENT_OF_A_SERVER',
  'SHARED_IDENTIFIER',
  'VALUE_ZERO',
  'CURRENCY_MISSING',
  'TIME_UNIT',
  'FOREIGN_PAGE',
  'DEDUP_KEY_MISSING',
  'BROWSER_AND_SERVER_DIFFER',
] as const
export type MatchFindingCode = (typeof matchFindingCodes)[number]

/** A channel's rating by the share of its events with a strong key: at least 90 %, at least 60 %, or less. */
const matchCoverages = ['good', 'fair', 'poor'] as const
export type MatchCoverage = (typeof matchCoverages)[number]

/** The longest time range of the report. */
export const maxMatchRangeMs = 35 * 86_400_000

const Share = (description: string) => Type.Number({ minimum: 0, maximum: 1, description })
const ofEvents = 'of the events'
const bySource = (description: string) =>
  Type.Object({ browser: Type.Optional(Type.Number()), server: Type.Optional(Type.Number()) }, { description })

const Key = Type.Object({
  key: Type.String({ description: 'its source: a standard key, `captured` or `app`' }),
  vendorKey: Type.String({ description: "the vendor's field, or the name of the captured value or id" }),
  strength: Type.Enum(['strong', 'medium', 'weak']),
  share: Share(`with this key, ${ofEvents}`),
  shareBySource: bySource('the same of the events of browsers and of servers; absent without such events'),
  faulty: Share(`on which this key was given and is wrong, ${ofEvents}`),
})
export type MatchKeyShare = Static<typeof Key>

const Finding = Type.Object({
  code: Type.Enum([...matchFindingCodes]),
  share: Share('of the events that have what was checked'),
  example: Type.Optional(
    Type.Object({ eventId: Type.String() }, { description: 'one of these events; absent once it expired' }),
  ),
  advice: Type.String(),
})
export type MatchFinding = Static<typeof Finding>

const Vendor = Type.Object(
  {
    name: Type.String({ description: "the vendor's name of its figure" }),
    of: Type.Number({ description: 'the highest score' }),
    at: OptionalTime('when the vendor was asked; absent if not within six hours'),
    score: OptionalNumber('of `eventName`; without it of Purchase, else of the first of `events`'),
    events: Type.Optional(
      Type.Array(
        Type.Object({
          eventName: Type.String({ description: 'the name at the vendor' }),
          score: Type.Optional(Type.Number()),
          coverage: Type.Optional(
            Share('of the browser’s events, those that the server sent too, with the same id; the vendor counts them'),
          ),
        }),
      ),
    ),
    error: Type.Optional(
      Type.Enum(['TOKEN_REFUSED', 'VENDOR_DOWN', 'ANSWER_UNKNOWN'], {
        description: 'why there is no figure; the channel continues to work',
      }),
    ),
  },
  { description: "the vendor's own rating; absent if it has no interface for one" },
)
export type VendorRating = Static<typeof Vendor>

const Channel = Type.Object({
  scriptId: Type.String(),
  name: Type.String(),
  providerId: Type.String(),
  events: Type.Integer({ description: 'delivered events' }),
  eventsBySource: Type.Object({ browser: Type.Integer(), server: Type.Integer() }),
  withStrongKey: Share(`with at least one strong key, ${ofEvents}`),
  coverage: Type.Optional(Type.Enum([...matchCoverages], { description: 'absent without events' })),
  keys: Type.Array(Key, { description: 'the strongest first' }),
  findings: Type.Array(Finding, { description: 'the largest share first' }),
  byEvent: Type.Array(
    Type.Object({ eventName: Type.String(), events: Type.Integer(), withStrongKey: Share('of them') }),
    { description: '`(other)`: names that are no standard or well-known ones' },
  ),
  vendor: Type.Optional(Vendor),
  intervals: Type.Optional(
    Type.Array(
      Type.Object({
        from: EpochMs({ description: 'epoch ms' }),
        events: Type.Integer(),
        withStrongKey: Share('of them'),
        keys: Type.Optional(
          Type.Record(Type.String(), Type.Number(), { description: 'with `scriptId`: the share with each key' }),
        ),
      }),
      { description: 'with `interval`' },
    ),
  ),
})
export type MatchChannel = Static<typeof Channel>

export const MatchQuality = Type.Object({
  from: EpochMs({ description: 'the full hour, epoch ms' }),
  to: EpochMs({ description: 'the full hour, epoch ms' }),
  channels: Type.Array(Channel, { description: 'the deployed channels with match keys' }),
})
export type MatchQuality = Static<typeof MatchQuality>

export const matchOperations = {
  readMatchQuality: {
    method: 'GET',
    path: '/tag/{tagId}/match-quality',
    summary: 'How well the vendor of each channel can match the people in the delivered events, and what lowers it',
    access: ['event:read'],
    query: Type.Object({
      from: Type.Optional(Type.Integer({ ...TimeMs, description: 'epoch ms (seven days ago)' })),
      to: Type.Optional(Type.Integer({ ...TimeMs, description: 'epoch ms (now)' })),
      scriptId: Type.Optional(FilterId),
      eventName: Type.Optional(FilterId),
      interval: Type.Optional(Type.Enum(['hour', 'day'], { description: 'also returns the shares of each interval' })),
      vendor: Type.Optional(
        Type.Enum(['ask'], {
          description:
            'with `scriptId`: asks the vendor for its own rating, with the access token of the channel, at most once in six hours',
        }),
      ),
    }),
    response: MatchQuality,
    isQuery: true,
    faults: ['tagUnknown'],
  },
} as const satisfies Record<string, Operation>
