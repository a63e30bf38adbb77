import type { IncomingMessage } from 'node:http'
import { type TextHeaders, textHeadersOf } from '#consent/text/callTexts.ts'
import { consentKey } from '#consent/text/consentKey.ts'
import { type Counter, type DurationHistogram, localBoundsSeconds } from '#kit/meter.ts'
import { openSlots, type Slots } from '#limit/slots.ts'
import type { Snapshot } from '#script/snapshot.ts'
import { type AppendBatcher, createAppendBatcher } from './appendBatcher.ts'
import { type CdnLocationOf, cdnLocation } from './cdnLocation.ts'
import { type AddressOf, clientAddress } from './clientAddress.ts'
import type { EdgeDeps } from './edgeDeps.ts'
import { forwardedPrefix, type PrefixOf } from './forwardedPrefix.ts'
import { type OriginTest, originTests } from './originTest.ts'
import { openSdkAssets, type SdkAssets } from './sdkAssets.ts'

/** The edge of one environment: its dependencies, and values that are computed once instead of per request. */
export type Edge = {
  deps: EdgeDeps
  /** `serviceuserid`: node:http gives header names in lower case. */
  userHeader: string
  /** The lower-case names of the headers with consent texts. */
  textHeaders: TextHeaders
  addressOf: AddressOf
  prefixOf: PrefixOf
  /** The caller's location from the headers of a trusted CDN. */
  cdnLocationOf: CdnLocationOf
  originTest(tag: Snapshot): OriginTest
  append: AppendBatcher
  /** Limits concurrent reads of shop APIs by webhooks, per team. */
  shopReads: Slots
  /** The browser SDK, in the encodings that browsers accept. */
  sdk: SdkAssets
  /** Counters of events by result. */
  events: Record<'accepted' | 'duplicate' | 'rejected', Counter>
  /** Durations of requests with events, until the events were durable. */
  intake: DurationHistogram
  /** The counter of requests that failed with this error code. */
  refused(code: string): Counter
}

/** A request under a tag's URL whose origin, method and token have been checked. */
export type EdgeCall = {
  edge: Edge
  tag: Snapshot
  request: IncomingMessage
  /** The part between the tag URL and the `?`, `/tag`. */
  path: string
  /** The part after the `?`. */
  query: string
  /**
   * The part of the caller's URL before `path`: `/t/tag_…`, the shop's path in front of it, or nothing on the tag's own host
   * name.
   */
  tagPath: string
  /** The request is on a host name that this tag has proved. */
  isOwnHost: boolean
  /** The request carried a valid access token with `event:write`. */
  trusted: boolean
  /** When the request head was read, by `performance.now()`. */
  beganAt: number
}

/** Records how long it took until the events of a call were durable. */
export const recordIntake = ({ edge, beganAt }: Pick<EdgeCall, 'edge' | 'beganAt'>): void =>
  edge.intake.record((performance.now() - beganAt) / 1_000)

/** Each webhook reads up to four answers of 1 MiB, for 8 s. */
const maxShopReads = 8

export function openEdge(deps: EdgeDeps): Edge {
  const labels = { environment: deps.environment }
  const eventCounter = (status: string) =>
    deps.meter.counter('aglet_events_total', 'Events received, by result', { ...labels, status })
  return {
    deps,
    userHeader: `${deps.brand}UserId`.toLowerCase(),
    textHeaders: textHeadersOf(deps.brand),
    addressOf: clientAddress(deps.trustProxy.ranges),
    prefixOf: forwardedPrefix(deps.trustProxy.ranges),
    cdnLocationOf: cdnLocation(deps.trustProxy),
    originTest: originTests(deps.development),
    append: createAppendBatcher(deps),
    shopReads: openSlots(() => maxShopReads),
    sdk: openSdkAssets(deps.sdk, consentKey(deps.brand)),
    events: {
      accepted: eventCounter('accepted'),
      duplicate: eventCounter('duplicate'),
      rejected: eventCounter('rejected'),
    },
    intake: deps.meter.histogram(
      'aglet_intake_duration_seconds',
      'Time from the head of a request with events until they are durable.',
      localBoundsSeconds,
      labels,
    ),
    refused: (code) =>
      deps.meter.counter('aglet_edge_refused_total', 'Requests to a tag URL that were refused, by error code', {
        ...labels,
        code,
      }),
  }
}
