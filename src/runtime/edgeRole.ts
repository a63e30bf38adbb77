import type { TagEvent } from '#contract/event.ts'
import { openCaptureRules } from '#delivery/captureRules.ts'
import { browserVariables, openScriptSecrets } from '#delivery/scriptSecrets.ts'
import type { EdgeDeps } from '#edge/edgeDeps.ts'
import { type LateLookups, openLateLookups } from '#edge/lateLookups.ts'
import { type EdgeRouter, edgeRouter } from '#edge/router.ts'
import { readSdkBuilds, sdkFolder } from '#manifest/sdkBuilds.ts'
import { recordOrder } from '#order/recordOrders.ts'
import { providers } from '#providers/index.ts'
import { findHost, findTag } from '#script/findTag.ts'
import { isLoopback } from '#settings/settings.ts'
import { meterOverload } from '#stream/backpressure.ts'
import type { EnvironmentRuntime } from './environmentRuntime.ts'
import { tagPrefix } from './environmentStore.ts'
import type { ServerRuntime } from './sharedRuntime.ts'
import { openShopSender } from './shopSender.ts'

type EdgeRoleDeps = Pick<ServerRuntime, 'settings' | 'log' | 'meter' | 'sandbox' | 'environments'> & {
  /** The previews of an environment. */
  previewsOf(runtime: EnvironmentRuntime): EdgeDeps['previews']
  /** Closed when the server stops. */
  opened: Pick<AsyncDisposableStack, 'defer'>
}

/** Handles requests to the tags. */
export function openEdge({
  settings,
  log,
  meter,
  sandbox,
  environments: runtimes,
  previewsOf,
  opened,
}: EdgeRoleDeps): EdgeRouter {
  const { brand, trustProxy, tagOrigin } = settings
  const { protocol, hostname } = new URL(tagOrigin)
  const sdk = readSdkBuilds(sdkFolder)
  if (sdk.length === 0)
    log({ level: 'warn', message: 'The browser SDK is not built, so GET /load responds with 404. Run npm run bundle.' })
  const shared = { brand, trustProxy, log, meter, development: protocol === 'http:' && isLoopback(hostname) }
  const send = openShopSender({ settings }, opened)
  return edgeRouter(
    runtimes.map((runtime): EdgeDeps => {
      const { environment, clock, keys, snapshots, stream, intake, intakeRate, profiles, authenticate, tagUrl } =
        runtime
      const plaintexts = openScriptSecrets(runtime)
      const previews = previewsOf(runtime)
      meterOverload(intake, meter, { environment })
      return {
        ...shared,
        environment,
        clock,
        keys,
        snapshots,
        // In a single process the snapshots are complete.
        ...(runtime.database && { late: openLateLookups(readsOf(runtime), clock) }),
        stream,
        ...(runtime.recentRecords && { recentRecords: runtime.recentRecords }),
        intakeRate,
        intakeLog: runtime.intakeLog,
        runLog: runtime.runLog,
        profiles,
        authenticate,
        ...(previews && { previews }),
        tagUrl,
        sdk,
        providers,
        runCode: sandbox.run,
        send,
        orders: orderKeeper(runtime),
        plaintexts,
        variables: browserVariables(plaintexts, providers),
        captures: openCaptureRules(providers, plaintexts),
        deliveriesOf: deliveriesWhenSettled(runtime),
        prefix: tagPrefix(environment),
        retryAfterSeconds: intake.retryAfterSeconds,
        countMemory: intake.countMemory,
        isFull: intake.isFull,
      }
    }),
  )
}

/** Stores the order of a shop, and the purchase that a repair would send. */
const orderKeeper = ({ clock, keys, store }: EnvironmentRuntime): NonNullable<EdgeDeps['orders']> => ({
  async keep(tag, order, purchase) {
    const event = purchase?.event as TagEvent | undefined
    const { ip, userAgent } = event ?? {}
    const payload = event && {
      event,
      ...(purchase?.userId !== undefined && { userId: purchase.userId }),
      ...(ip !== undefined && { ip }),
      ...(userAgent !== undefined && { userAgent }),
    }
    // a shop may refund more than the order; the row has the refunded part of the order
    const refunded = Math.min(order.refunded ?? 0, order.value)
    const { result, issues } = await recordOrder(tag, { ...order, refunded }, payload, { clock, keys, store })
    return { order: result, ...(issues && { issues }) }
  },
})

const readsOf = (runtime: EnvironmentRuntime): LateLookups => ({
  tag: (tagId) => findTag(tagId, runtime),
  host: (host) => findHost(host, runtime),
})

const syncTimeoutMs = 10_000

const deliveriesWhenSettled =
  ({ completions, keys }: EnvironmentRuntime): EdgeDeps['deliveriesOf'] =>
  async ({ tagId, teamId }, eventId, trusted) => {
    const key = keys.team(teamId).eventKey(tagId, eventId, trusted)
    const deliveries = await completions.deliveriesOf(tagId, key, syncTimeoutMs)
    return deliveries.map(({ scriptId, providerId, status, reason }) => ({
      scriptId,
      providerId,
      status,
      ...(reason && { reason }),
    }))
  }
