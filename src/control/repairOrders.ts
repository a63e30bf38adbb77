import type { DeliveryReason } from '#contract/deliveryStatus.ts'
import { badRequest, Fault } from '#contract/fault.ts'
import { issueSentence } from '#contract/issueSentence.ts'
import type { OrderRepair, OrderRepairWrite } from '#contract/order.ts'
import { failedCells, isFailed, type OrderCell } from '#contract/orderCells.ts'
import { ingestParsed, sealEntry } from '#event/ingest.ts'
import { parseBody } from '#event/parseBody.ts'
import { defined } from '#kit/defined.ts'
import { newUserId } from '#kit/id.ts'
import { furthestDeliveries } from '#order/outcome.ts'
import { type OrderPurchasePayload, openPayload } from '#order/payload.ts'
import type { Snapshot } from '#script/snapshot.ts'
import { keptPayloadsMs, type OrderWithPurchases } from '#store/orders.ts'
import type { EventPosition, ReplayFilter } from '#store/replays.ts'
import type { TagRecord } from '#store/store.ts'
import type { AnswerFor, ControlDeps } from './controlDeps.ts'
import { openKeptSecrets } from './draftSecrets.ts'
import { findOrders } from './orders.ts'
import { queueReplay, refuseMoreReplays } from './replays.ts'
import { type ApiCaller, saveChange } from './saveChange.ts'
import { findOwnScript } from './scripts.ts'
import { reserveSearch, runFairly } from './searchSlots.ts'
import { requireTag } from './tags.ts'

type Repaired = OrderRepair['orders'][number]
type Repair = { tag: TagRecord; live: Snapshot | undefined; scriptId: string | undefined; dryRun: boolean }

/** Orders per call. Each team repairs one order at a time. */
const ordersPerCall = 50
const failedStatuses = ['dead', 'refused'] as const

const wantedCells = ({ cells }: OrderRepairWrite): OrderCell[] =>
  cells.flatMap((cell): OrderCell[] => (cell === 'failed' ? [...failedCells] : [cell]))

type Failed = {
  order: OrderWithPurchases
  places: EventPosition[]
  scriptIds: string[]
  /** The channels that accept no event of this age. */
  tooOld: { scriptId: string; status: string; reason?: DeliveryReason }[]
}

/** The events with failed deliveries, and the channels that should get them again. */
function failedOf(order: OrderWithPurchases, { live, scriptId }: Repair): Failed {
  const own = new Set((live?.scripts ?? []).map((script) => script.scriptId))
  const failed = [...furthestDeliveries(order.purchases)].flatMap(([id, reached]) =>
    isFailed(reached[0]!.cell) && own.has(id) && (scriptId === undefined || id === scriptId) ? [reached[0]!] : [],
  )
  const isSkipped = ({ delivery }: (typeof failed)[number]) => delivery.status === 'skipped'
  const tooOld = failed.filter(isSkipped).map(({ delivery: { scriptId: id, status, reason } }) => ({
    ...{ scriptId: id, status },
    ...(reason && { reason }),
  }))
  const again = failed.filter((each) => !isSkipped(each))
  const places = new Map(
    again.map(({ purchase: { position, index } }) => [`${position} ${index}`, { position, index }]),
  )
  return {
    order,
    places: [...places.values()].map(({ position, index }): EventPosition => [position, index]),
    scriptIds: [...new Set(again.map(({ delivery }) => delivery.scriptId))],
    tooOld,
  }
}

const replayFilter = (failed: readonly Failed[]): ReplayFilter => ({
  statuses: failedStatuses,
  places: failed
    .flatMap(({ places }) => places)
    .sort(([position, index], [other, at]) => position - other || index - at),
  scriptIds: [...new Set(failed.flatMap(({ scriptIds }) => scriptIds))],
})

/** Runs the replay of an order, or its dry run. */
async function planReplay(deps: ControlDeps, { order, ...failed }: Failed, { tag }: Repair): Promise<Repaired> {
  const { orderId } = order
  if (failed.places.length === 0) {
    if (failed.tooOld.length === 0) return { orderId, cell: 'failed', result: 'eventGone', channels: [] }
    return {
      orderId,
      cell: 'failed',
      result: 'refused',
      message: 'the vendor does not accept events this old',
      channels: failed.tooOld,
    }
  }
  const { tally } = await deps.dryRunReplay(tag.tagId, replayFilter([{ order, ...failed }]))
  const channels = Object.entries(tally).map(([scriptId, { replayed, left }]) => {
    const reason = Object.keys(left)[0] as DeliveryReason | undefined
    return replayed > 0 ? { scriptId, status: 'pending' } : { scriptId, status: 'skipped', ...(reason && { reason }) }
  })
  const all = [...channels, ...failed.tooOld]
  const base = { orderId, cell: 'failed' as const, channels: all }
  if (all.some(({ status }) => status === 'pending')) return { ...base, result: 'replayed' }
  if (all.every(({ reason }) => reason === 'expired')) return { ...base, result: 'eventGone' }
  return { ...base, result: 'refused', message: 'no channel can receive the event now' }
}

/** The event of a payload, at the time of the order, for one channel or for all. */
function toEvent({ event }: OrderPurchasePayload, order: OrderWithPurchases, { live, scriptId }: Repair) {
  const script = live?.scripts.find((each) => each.scriptId === scriptId)
  return {
    ...event,
    timestamp: order.placedAt,
    source: { ...(typeof event.source === 'object' ? event.source : {}), name: 'reconciliation' },
    ...(script && { providers: { [script.providerId]: { [script.name]: true } } }),
  }
}

const callerOf = ({ userId }: OrderPurchasePayload) => ({
  userId: userId ?? newUserId(),
  hasExplicitUserId: userId !== undefined,
})
const requestOf = ({ ip, userAgent }: OrderPurchasePayload) => defined({ ip, userAgent })

/** Plans the Purchase of an order as the worker would; sends nothing. */
async function planPurchase(deps: ControlDeps, payload: OrderPurchasePayload, body: Buffer, { tag, live }: Repair) {
  if (!live) return []
  const receivedAt = deps.clock.now()
  const event = parseBody(body, receivedAt).events[0]!.event!
  const { tagId, teamId } = tag
  const context = { tagId, teamId, ...callerOf(payload), trusted: true, receivedAt, ...requestOf(payload) }
  const { planned, outcomes } = await deps.runTest({
    tag: live,
    event,
    context,
    send: false,
    plaintexts: async (_tag, { scriptId }) => {
      const script = await deps.store.script(scriptId)
      return script ? openKeptSecrets(deps, script) : {}
    },
  })
  const ended = new Map(outcomes.map((outcome) => [outcome.deliveryId, outcome]))
  return planned.deliveries.map(({ deliveryId, scriptId, ...first }) => {
    const { status, reason } = ended.get(deliveryId) ?? first
    return { scriptId, status: status === 'simulated' ? 'pending' : status, ...(reason && { reason }) }
  })
}

async function appendPurchase(deps: ControlDeps, payload: OrderPurchasePayload, body: Buffer, { tag }: Repair) {
  const receivedAt = deps.clock.now()
  const { tagId, teamId } = tag
  const read = parseBody(body, receivedAt)
  const source = {
    tag: { tagId, teamId },
    caller: callerOf(payload),
    trusted: true,
    receivedAt,
    request: requestOf(payload),
  }
  const { item, users } = ingestParsed({ read, body }, source, deps)
  const slot = deps.stream.slotFor?.(tagId, users.userId)
  if (item) await deps.stream.append(sealEntry([slot === undefined ? item : { ...item, slot }], tag, deps.keys))
}

/** Creates the Purchase of an order without an event from the shop's payload. */
async function repairMissing(deps: ControlDeps, order: OrderWithPurchases, repair: Repair): Promise<Repaired> {
  const { orderId } = order
  const missing = { orderId, cell: 'noEvent' as const, channels: [] }
  const [row] = await deps.store.orders.payloads(repair.tag.tagId, [order.id])
  if (!row || row.at < deps.clock.now() - keptPayloadsMs) return { ...missing, result: 'noPayload' }
  await deps.keys.findTeamKey(repair.tag.teamId, row.sealed)
  const payload = openPayload(repair.tag, row, deps.keys)
  const body = Buffer.from(JSON.stringify(toEvent(payload, order, repair)))
  try {
    if (repair.dryRun) return { ...missing, result: 'sent', channels: await planPurchase(deps, payload, body, repair) }
    await appendPurchase(deps, payload, body, repair)
    return { ...missing, result: 'sent' }
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    const issues = (error.attributes?.issues ?? []) as readonly { path: string; message: string }[]
    return { ...missing, result: 'refused', message: issues.length > 0 ? issueSentence(issues) : error.message }
  }
}

async function repairPage(deps: ControlDeps, who: ApiCaller, repair: Repair, orders: readonly OrderWithPurchases[]) {
  const { tag, dryRun } = repair
  const repaired: Repaired[] = []
  const failed: Failed[] = []
  for (const order of orders)
    await runFairly(deps, tag.teamId, async () => {
      if (order.purchases.length === 0) {
        repaired.push(await repairMissing(deps, order, repair))
        return
      }
      const own = failedOf(order, repair)
      const plan = await planReplay(deps, own, repair)
      repaired.push(plan)
      if (plan.result === 'replayed') failed.push(own)
    })
  if (dryRun || failed.length === 0) return { repaired }
  const { replayId } = await queueReplay(deps, who, tag, replayFilter(failed))
  return { repaired, replayId }
}

export const repairOrders: AnswerFor<'repairOrders'> = async ({ params, body, ...who }, deps) => {
  const tag = await requireTag(deps, who.access, params.tagId)
  const { from: fromMs, to: toMs, dryRun } = body
  const scriptId = body.scriptId ?? undefined
  if (fromMs >= toMs) throw badRequest({ path: 'from', message: 'must be before `to`' })
  if (scriptId !== undefined && (await findOwnScript(deps, who.access, scriptId))?.tagId !== tag.tagId)
    throw badRequest({ path: 'scriptId', message: 'is not a script of this tag' })
  // before the first order is repaired
  if (!dryRun && body.cells.includes('failed')) await refuseMoreReplays(deps, tag.teamId)
  using _search = reserveSearch(deps, tag.teamId)
  const filter = { fromMs, toMs, cells: wantedCells(body), ...(scriptId !== undefined && { scriptId }) }
  const page = { limit: ordersPerCall, ...(body.cursor && { cursor: body.cursor }) }
  const { rows, next } = await findOrders(deps, tag, filter, page)
  const repair: Repair = { tag, live: deps.snapshots.get(tag.tagId), scriptId, dryRun }
  const { repaired, replayId } = await repairPage(deps, who, repair, rows)
  if (!dryRun && repaired.length > 0) {
    const after = { ...filter, cells: body.cells, orders: repaired.length, ...(replayId && { replayId }) }
    await saveChange(deps, who, { what: 'repairOrders', object: tag.tagId, after, rows: [] })
  }
  return { dryRun, orders: repaired, ...defined({ replayId, next }) }
}
