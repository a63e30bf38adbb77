import type { IncomingMessage } from 'node:http'
import { placeOfConsent } from '#consent/consent.ts'
import type { Counter } from '#kit/meter.ts'
import type { Snapshot } from '#script/snapshot.ts'
import { type AddressOf, clientAddress } from './address.ts'
import { type Bundle, bundler } from './bundle.ts'
import { type OriginTest, originTests } from './origin.ts'
import { type PlaceOf, toldPlace } from './place.ts'
import { openShelf, type Shelf } from './shelf.ts'
import type { EdgeWorld } from './world.ts'

/** The edge of one environment, and what would otherwise be worked out for each request. */
export type Edge = {
  on: EdgeWorld
  /** `serviceuserid`: node:http gives header names in lower case. */
  userHeader: string
  addressOf: AddressOf
  /** Where the CDN in front says that the caller is. */
  placeOf: PlaceOf
  originTest(tag: Snapshot): OriginTest
  bundle: Bundle
  /** The browser SDK as pages load it. */
  sdk: Shelf
  /** Events by what became of them. */
  events: Record<'accepted' | 'duplicate' | 'rejected', Counter>
  /** Requests that were answered by an Error object, by its code. */
  refused(code: string): Counter
}

/** A request under a tag's URL that has got past the door. */
export type Call = {
  edge: Edge
  tag: Snapshot
  request: IncomingMessage
  /** What stands between the tag URL and the `?`. */
  path: string
  /** what stands after the `?` */
  query: string
  /** The path of the tag's URL, `/t/tag_…`. */
  tagPath: string
  /** It bore an access token with `event:write`. */
  trusted: boolean
}

export function openEdge(on: EdgeWorld): Edge {
  const labels = { environment: on.environment }
  const counted = (status: string) =>
    on.meter.counter('aglet_events_total', 'Events that came in, by what became of them', { ...labels, status })
  return {
    on,
    userHeader: `${on.brand}UserId`.toLowerCase(),
    addressOf: clientAddress(on.trustProxy.ranges),
    placeOf: toldPlace(on.trustProxy),
    originTest: originTests(on.development),
    bundle: bundler(on),
    sdk: openShelf(on.sdk, placeOfConsent(on.brand)),
    events: { accepted: counted('accepted'), duplicate: counted('duplicate'), rejected: counted('rejected') },
    refused: (code) =>
      on.meter.counter('aglet_edge_refused_total', 'Requests to a tag URL that were refused, by error code', {
        ...labels,
        code,
      }),
  }
}
