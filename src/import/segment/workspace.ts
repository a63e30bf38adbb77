import { isRecord } from '#contract/isRecord.ts'
import { ImportError } from '../importResult.ts'
import { exportText, type JsonObject, listOf, member, objectsOf, parseExport, textAt } from '../json.ts'
import { HclExpression, readHcl } from './hcl.ts'

/** A Terraform resource or an object of the Public API. `ownId`: Segment's id, if the file has it. */
export type SegmentResource = { kind: string; id: string; ownId: string; file: string; body: JsonObject }
export type SegmentWorkspace = {
  destinations: SegmentResource[]
  subscriptions: SegmentResource[]
  filters: SegmentResource[]
  others: SegmentResource[]
  problems: { file: string; line: number; message: string }[]
}

const kinds: Readonly<Record<string, string>> = {
  segment_source: 'source',
  segment_destination: 'destination',
  segment_destination_subscription: 'subscription',
  segment_destination_filter: 'filter',
  segment_function: 'function',
  segment_tracking_plan: 'tracking plan',
  segment_warehouse: 'warehouse',
  segment_transformation: 'transformation',
}
/** The members of Public API answers that hold lists. */
const lists: Readonly<Record<string, string>> = {
  sources: 'source',
  destinations: 'destination',
  subscriptions: 'subscription',
  filters: 'filter',
  functions: 'function',
  trackingPlans: 'tracking plan',
  warehouses: 'warehouse',
}

/** `segment_destination.shop.id` refers to the resource `shop`. */
const referred = (value: unknown): unknown => {
  if (!(value instanceof HclExpression)) return value
  return /^segment_\w{1,60}\.([\w-]{1,200})\.id$/.exec(value.text)?.[1] ?? value
}

/** The first Terraform expression that is neither a literal nor a reference. */
function expressionIn(body: JsonObject): string | undefined {
  const open: unknown[] = [body]
  for (let at = 0; at < open.length && at < 10_000; at++) {
    const each = open[at]
    if (each instanceof HclExpression) return each.text
    if (typeof each === 'object' && each !== null) open.push(...Object.values(each))
  }
  return undefined
}

function addTerraform(workspace: SegmentWorkspace, file: string, text: string): void {
  const { blocks, problem } = readHcl(text)
  if (problem) workspace.problems.push({ file, ...problem })
  const ownIds = new Map(
    blocks
      .filter(({ kind }) => kind === 'import')
      .map(({ body }) => [
        member(body, 'to') instanceof HclExpression ? (member(body, 'to') as HclExpression).text : '',
        textAt(body, 'id'),
      ]),
  )
  for (const {
    kind,
    labels: [type = '', id = ''],
    line,
    body,
  } of blocks) {
    if (kind === 'import' || kind === 'terraform' || kind === 'provider') continue
    if (kind !== 'resource') {
      workspace.problems.push({ file, line, message: `a block ${kind.slice(0, 40)} is not supported` })
      continue
    }
    const plain = Object.fromEntries(Object.entries(body).map(([name, value]) => [name, referred(value)]))
    const expression = expressionIn(plain) ?? ('for_each' in plain || 'count' in plain ? 'for_each' : undefined)
    if (expression !== undefined) {
      workspace.problems.push({
        file,
        line,
        message: `${type} ${id} has the expression ${expression.slice(0, 60)}; only literals are supported`,
      })
      continue
    }
    const ownId = ownIds.get(`${type}.${id}`) ?? id.replace(/^id-/, '')
    add(workspace, {
      kind: kinds[type] ?? type.replace(/^segment_/, '').replaceAll('_', ' '),
      id,
      ownId,
      file,
      body: plain,
    })
  }
}

function add(workspace: SegmentWorkspace, resource: SegmentResource): void {
  const list = ({ destination: 'destinations', subscription: 'subscriptions', filter: 'filters' } as const)[
    resource.kind
  ]
  workspace[list ?? 'others'].push(resource)
}

/** An answer such as `{data: {destinations: […]}}`, or `{data: {destination: {…}}}`. */
function addAnswer(workspace: SegmentWorkspace, file: string, answer: JsonObject): boolean {
  const data = isRecord(member(answer, 'data')) ? (answer.data as JsonObject) : answer
  let isKnown = false
  for (const [name, kind] of Object.entries(lists)) {
    const one = member(data, name.slice(0, -1))
    const all = [...objectsOf(member(data, name)), ...(isRecord(one) ? [one] : [])]
    isKnown ||= Array.isArray(member(data, name)) || isRecord(one)
    for (const body of all) add(workspace, { kind, id: textAt(body, 'id'), ownId: textAt(body, 'id'), file, body })
    // A list of destinations includes their subscriptions only if the request asked for them.
    for (const body of kind === 'destination' ? all : [])
      for (const each of listOf(member(body, 'subscriptions')).filter(isRecord))
        add(workspace, {
          kind: 'subscription',
          id: textAt(each, 'id'),
          ownId: textAt(each, 'id'),
          file,
          body: { destinationId: textAt(body, 'id'), ...each },
        })
  }
  return isKnown
}

/** Reads Terraform files and Public API answers, by name and content. */
export function readWorkspace(files: ReadonlyMap<string, Uint8Array | string>): SegmentWorkspace {
  const workspace: SegmentWorkspace = { destinations: [], subscriptions: [], filters: [], others: [], problems: [] }
  let isKnown = false
  for (const [file, content] of files) {
    const text = exportText(content)
    if (file.endsWith('.tf')) {
      addTerraform(workspace, file, text)
      isKnown = true
    } else isKnown = addAnswer(workspace, file, parseExport(text)) || isKnown
  }
  if (!isKnown)
    throw new ImportError(
      'The files are not a Segment workspace. Choose .tf files of its Terraform provider, or responses of its Public API.',
    )
  return workspace
}
