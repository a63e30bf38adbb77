import { ReasonField, StatusField } from './deliveryFilters.ts'
import type { Operation } from './operation.ts'
import { EpochMs, OptionalText, OptionalTime, type Static, Type } from './schema.ts'

/**
 * The states of a channel. `draft`: not live. `paused`: paused by a person. `keyRejected`, `vendorDown`: paused
 * automatically. `throttled`: the vendor asked to wait.
 */
const channelStates = ['ok', 'paused', 'keyRejected', 'vendorDown', 'throttled', 'draft'] as const
type ChannelState = (typeof channelStates)[number]

/**
 * The health of a channel, worst first; the first one that applies. `stopped`: paused by a person, or because the
 * vendor rejects the key or is down. `failing`: more than a tenth of the last hour's deliveries or webhook runs failed.
 * `waiting`: the vendor asked to wait, or a delivery has waited for more than a minute. `ok`: something was delivered
 * or run in the last hour. `quiet`: nothing was, or the channel is not live.
 */
export const channelHealths = ['stopped', 'failing', 'waiting', 'ok', 'quiet'] as const

const count = (description: string) => Type.Integer({ description })
/**
 * The last hour's ended deliveries and runs. Failed: deliveries that are refused or dead, and runs with an error or a
 * status of 500 or more.
 */
const LastHour = Type.Object({
  delivered: count('deliveries that were delivered or simulated'),
  failed: count('deliveries that were refused or given up'),
  runs: count('runs of a webhook, of the newest 200'),
  failedRuns: count('of these, those with an error or a status from 500'),
})
export type LastHour = Static<typeof LastHour>

/** The ended deliveries of a channel, from the counts by status. */
export const endedOf = ({ delivered = 0, simulated = 0, refused = 0, dead = 0 }: Readonly<Record<string, number>>) => ({
  delivered: delivered + simulated,
  failed: refused + dead,
})

const failingShare = 0.1
const maxWaitMs = 60_000
const isFailing = (failed: number, all: number) => failed > failingShare * all

type HealthFacts = { state: ChannelState; lastHour: LastHour; waiting: number; oldestAt?: number; now: number }

/** The only definition of health, used by the API, the command line, the dashboard and alerts. */
export function healthOf({ state, lastHour, waiting, oldestAt, now }: HealthFacts): (typeof channelHealths)[number] {
  const { delivered, failed, runs, failedRuns } = lastHour
  if (state === 'draft') return 'quiet'
  if (state === 'paused' || state === 'keyRejected' || state === 'vendorDown') return 'stopped'
  if (isFailing(failed, delivered + failed) || isFailing(failedRuns, runs)) return 'failing'
  if (state === 'throttled' || (waiting > 0 && now - (oldestAt ?? now) > maxWaitMs)) return 'waiting'
  return delivered + runs > 0 ? 'ok' : 'quiet'
}

const LastError = Type.Object({
  at: EpochMs({ description: 'epoch ms' }),
  deliveryId: Type.String(),
  eventId: OptionalText('absent once the event is deleted by retention'),
  status: StatusField,
  reason: Type.Optional(ReasonField),
  httpStatus: Type.Optional(Type.Number()),
  message: OptionalText('secrets redacted'),
})

/** The current state of a tag's channel (a script). Times are epoch ms. */
export const ChannelStatus = Type.Object({
  scriptId: Type.String(),
  name: Type.String(),
  providerId: Type.String(),
  state: Type.Enum([...channelStates], {
    description:
      'ok · paused: by a person · keyRejected, vendorDown: paused until nextAt · throttled: the vendor asked to wait until nextAt · draft: not live',
  }),
  health: Type.Enum([...channelHealths], {
    description:
      'stopped: paused, its key rejected or its vendor down · failing: more than a tenth of the deliveries or runs of the last hour failed · waiting: the vendor asked to wait, or a delivery waits for more than a minute · ok: it delivered or ran in the last hour · quiet: it did not, or is not live',
  }),
  lastHour: LastHour,
  reason: Type.Optional(ReasonField),
  since: OptionalTime('the start of an automatic pause, epoch ms'),
  nextAt: OptionalTime('when the next attempt is due, epoch ms'),
  waiting: Type.Integer({ description: 'deliveries that wait for an attempt' }),
  held: Type.Integer({ description: 'deliveries that wait for a consent' }),
  oldestAt: OptionalTime('when the event of the oldest waiting delivery was received, epoch ms'),
  lastDeliveredAt: OptionalTime('when the delivered event that came last was delivered, epoch ms'),
  lastError: Type.Optional(LastError),
})
export type ChannelStatus = Static<typeof ChannelStatus>

export const channelOperations = {
  listChannels: {
    method: 'GET',
    path: '/tag/{tagId}/channel',
    summary: 'The state of each channel of a tag: its health, what waits, its last delivery and its last error',
    access: ['event:read'],
    response: Type.Object({ channels: Type.Array(ChannelStatus) }),
    isQuery: true,
    faults: ['tagUnknown'],
  },
} as const satisfies Record<string, Operation>
