import type { BatchSpec } from '#provider/form/batch.ts'
import type { Provider } from '#provider/form/provider.ts'
import type { RequestSpec, Skip } from '#provider/form/request.ts'
import { type BuildInput, type BuiltRequests, describeRequests, firstStep } from './buildRequests.ts'
import { containsContact } from './contacts.ts'
import { encodeBody } from './encodeBody.ts'
import type { NextStep } from './nextStep.ts'
import { toWireRequest } from './toWireRequest.ts'
import type { WireRequest } from './wireRequest.ts'

/** A request and the indexes of its events among the inputs. */
export type RequestBatch = {
  request: WireRequest
  eventIndexes: readonly number[]
  /** Set if the event is sent in steps: `request` is the next step and holds no other event. */
  nextStep?: NextStep
  /**
   * For each list: the event of each row, as an index in `eventIndexes`. Set if the vendor's response can name rows.
   */
  rows?: BatchRows
}
type BatchRows = Readonly<Record<string, readonly number[]>>
/**
 * The requests for several events of one script, and the events that are not sent. `at`: the index among the inputs.
 */
type BuiltBatches = { batches: RequestBatch[]; skipped: (Skip & { at: number })[] }

type Part = { send: RequestSpec; at: number }
type ListBatchSpec = Extract<BatchSpec, { listPath: unknown }>

const defaultMaxBytes = 1_000_000

const listAt = ({ json }: RequestSpec, name: string): unknown[] => (json as Record<string, unknown[]>)[name] ?? []

const listNames = ({ listPath }: ListBatchSpec): readonly string[] => [listPath].flat()

const without = (members: object = {}, names: readonly string[]) =>
  Object.fromEntries(Object.entries(members).filter(([name]) => !names.includes(name)))

/** Everything of a request except the part that describes one event. Requests are joined if this part is equal. */
const sharedPart = ({ json, headers, ...send }: RequestSpec, spec: ListBatchSpec): string =>
  JSON.stringify([send, without(headers, spec.singleEventHeaders ?? []), without(json as object, listNames(spec))])

function joined(parts: readonly Part[], spec: BatchSpec | undefined): RequestSpec {
  const sends = parts.map(({ send }) => send)
  if (sends.length === 1 || !spec) return sends[0]!
  if ('join' in spec) return spec.join(sends)
  const { headers, ...first } = sends[0]!
  const lists = listNames(spec).map((name) => [name, sends.flatMap((send) => listAt(send, name))] as const)
  const json = { ...(first.json as object), ...Object.fromEntries(lists.filter(([, list]) => list.length > 0)) }
  return { ...first, ...(headers && { headers: without(headers, spec.singleEventHeaders ?? []) }), json }
}

/** The event of each row of each list. An event can have any number of rows in a list. */
const rowsOf = (parts: readonly Part[], spec: ListBatchSpec): BatchRows =>
  Object.fromEntries(
    listNames(spec).map((name) => [name, parts.flatMap(({ send }, event) => listAt(send, name).map(() => event))]),
  )

const joinableGroups = (parts: readonly Part[], spec: BatchSpec): Part[][] =>
  'join' in spec
    ? (Object.values(Object.groupBy(parts, ({ send }) => spec.joinKey?.(send) ?? '')) as Part[][])
    : (Object.values(Object.groupBy(parts, ({ send }) => sharedPart(send, spec))) as Part[][])

/** False for an event with several requests, or with a request that cannot be joined: the event is sent alone. */
const isJoinable = ([part, ...more]: readonly Part[], spec: BatchSpec): boolean =>
  part !== undefined && more.length === 0 && !('join' in spec && spec.joinKey && spec.joinKey(part.send) === undefined)

const eventCount = (send: RequestSpec, spec: BatchSpec): number =>
  'listPath' in spec
    ? listNames(spec).reduce((sum, name) => sum + listAt(send, name).length, 0)
    : (spec.countEvents?.(send) ?? 1)

/** Splits a group into requests within the vendor's limits. */
function splitByLimits(parts: readonly Part[], spec: BatchSpec): Part[][] {
  const pieces: Part[][] = []
  let left = { events: 0, bytes: 0 }
  for (const part of parts) {
    const events = eventCount(part.send, spec)
    const bytes = Buffer.byteLength(encodeBody(part.send).body ?? '')
    const fits = events <= left.events && bytes <= left.bytes
    if (!fits) left = { events: spec.maxEvents, bytes: spec.maxBytes ?? defaultMaxBytes }
    left = { events: left.events - events, bytes: left.bytes - bytes }
    if (fits) pieces.at(-1)!.push(part)
    else pieces.push([part])
  }
  return pieces
}

/** The requests for one event; or why it is not sent. */
function partsOf(id: string, provider: Provider, input: BuildInput, at: number): Part[] | RequestBatch | Skip {
  const described = describeRequests(id, provider, input)
  if ('skipped' in described) return described
  if ('nextStep' in described) return stepBatch(firstStep(described.nextStep, input), at)
  const { sends, contacts } = described
  if (sends.length === 0) return { skipped: 'filtered' }
  const leaks = contacts && sends.some((send) => containsContact(toWireRequest(send, input.now), contacts))
  return leaks ? { skipped: 'payloadRefused' } : sends.map((send) => ({ send, at }))
}

function stepBatch(built: BuiltRequests, at: number): RequestBatch | Skip {
  if ('skipped' in built) return built
  const { requests, nextStep } = built
  if (!requests[0] || !nextStep) return { skipped: 'filtered' }
  return { request: requests[0], eventIndexes: [at], nextStep }
}

/**
 * Builds the requests for several events of one script, with the same secrets and token. A request that cannot be
 * joined is a batch of its own. An event with several requests keeps their order.
 */
export function buildBatches(id: string, provider: Provider, inputs: readonly BuildInput[]): BuiltBatches {
  const { batch: spec } = provider
  const described = inputs.map((input, at) => partsOf(id, provider, input, at))
  const skipped = described.flatMap((each, at) => ('skipped' in each ? [{ ...each, at }] : []))
  const parts = described.filter((each) => Array.isArray(each))
  const stepped = described.flatMap((each) => ('request' in each ? [each] : []))
  const single = parts.filter((each) => !spec || !isJoinable(each, spec)).flat()
  const joinable = parts.filter((each) => spec && isJoinable(each, spec)).flat()
  const groups = spec ? joinableGroups(joinable, spec).flatMap((group) => splitByLimits(group, spec)) : []
  const pieces = [...groups, ...single.map((part) => [part])]
  const now = inputs[0]?.now ?? 0
  const batches = pieces.map((piece) => ({
    request: toWireRequest(joined(piece, spec), now),
    eventIndexes: piece.map(({ at }) => at),
    ...(spec?.partialFailures && 'listPath' in spec && piece.length > 1 && { rows: rowsOf(piece, spec) }),
  }))
  return { batches: [...batches, ...stepped], skipped }
}
