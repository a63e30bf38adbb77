import { closeSync, createReadStream, openSync, readSync } from 'node:fs'
import { resolve } from 'node:path'
import { type Command, Option } from 'commander'
import { type ApiFlags, addApiCommand, withApi } from '#cli/api/registerApi.ts'
import { workingFolder } from '#cli/api/workingFolder.ts'
import type { ProgramDeps } from '#cli/cliDeps.ts'
import { endWith } from '#cli/commandOptions.ts'
import { UsageError } from '#cli/operatorCall.ts'
import type { Client } from '#contract/client.ts'
import { maxOrders, type OrderResult, type OrderWrite } from '#contract/order.ts'
import { type FileOrder, ownMap, parseMap, type RowOptions, readOrders, shopMaps } from './orderRows.ts'

const headBytes = 4_096

function readHead(path: string): Uint8Array {
  try {
    const file = openSync(path, 'r')
    const head = new Uint8Array(headBytes)
    const length = readSync(file, head)
    closeSync(file)
    return head.subarray(0, length)
  } catch {
    throw new UsageError(`The file ${path} cannot be read.`)
  }
}

/** Detects UTF-16 by its byte order mark, or by the zero bytes of Latin letters. */
function encodingOf(head: Uint8Array): 'utf-8' | 'utf-16le' | 'utf-16be' {
  if (head[0] === 0xff && head[1] === 0xfe) return 'utf-16le'
  if (head[0] === 0xfe && head[1] === 0xff) return 'utf-16be'
  const zeros = (from: number) => head.filter((byte, at) => at % 2 === from && byte === 0).length
  if (zeros(1) > head.length / 4) return 'utf-16le'
  return zeros(0) > head.length / 4 ? 'utf-16be' : 'utf-8'
}

async function* decode(path: string, encoding: string): AsyncGenerator<string> {
  const decoder = new TextDecoder(encoding, { fatal: true })
  for await (const bytes of createReadStream(path)) yield decoder.decode(bytes as Uint8Array, { stream: true })
  yield decoder.decode()
}

/** The text of a file in parts: UTF-8 or UTF-16, else Windows-1252. The byte order mark is removed. */
export async function openText(path: string): Promise<{ encoding: string; read(): AsyncGenerator<string> }> {
  const encoding = encodingOf(readHead(path))
  try {
    for await (const _ of decode(path, encoding));
    return { encoding, read: () => decode(path, encoding) }
  } catch (problem) {
    if (!(problem instanceof TypeError)) throw problem
    if (encoding !== 'utf-8') throw new UsageError(`The file ${path} is not valid ${encoding}.`)
    return { encoding: 'windows-1252', read: () => decode(path, 'windows-1252') }
  }
}

type ImportFlags = ApiFlags & {
  file: string
  map?: string
  from?: string
  decimal: 'point' | 'comma'
}
type Tally = Record<OrderResult['result'], number>

/** Keeps a body below two megabytes. */
const ordersPerCall = Math.min(500, maxOrders)
const mostRefusals = 20

type Sent = { tally: Tally; printError(text: string): void; refusals: number }

async function send(api: Client, tagId: string, orders: readonly FileOrder[], sent: Sent): Promise<void> {
  const { rows } = await api.putOrders({
    tagId,
    body: orders.map(({ order }) => order as unknown as OrderWrite),
  } as never)
  for (const [at, { result, orderId, issues }] of rows.entries()) {
    sent.tally[result]++
    if (result !== 'refused' || ++sent.refusals > mostRefusals) continue
    const why = (issues ?? []).map(({ path, message }) => `${path} ${message}`).join('; ')
    sent.printError(`Line ${orders[at]!.line}: order ${orderId} was refused: ${why}.\n`)
  }
}

/** Reads the file twice, so that errors are reported before the first order is sent. */
async function importOrders(tagId: string, flags: ImportFlags, deps: ProgramDeps): Promise<Tally> {
  const path = resolve(workingFolder(deps.env), flags.file)
  const text = await openText(path)
  const source = flags.from?.replace(/-csv$/, '') ?? 'upload'
  const map = { ...(flags.from ? shopMaps[flags.from]! : ownMap), ...(flags.map && parseMap(flags.map)) }
  const options: RowOptions = { map, decimal: flags.decimal, source, isNdjson: /\.(ndjson|jsonl)$/.test(path) }
  for await (const _ of readOrders(text.read(), options));
  const tally: Tally = { created: 0, updated: 0, unchanged: 0, refused: 0 }
  const sent: Sent = { tally, printError: deps.printError, refusals: 0 }
  await withApi(flags, deps, async (api) => {
    let orders: FileOrder[] = []
    for await (const order of readOrders(text.read(), options)) {
      orders.push(order)
      if (orders.length < ordersPerCall) continue
      await send(api, tagId, orders, sent)
      orders = []
    }
    if (orders.length > 0) await send(api, tagId, orders, sent)
  })
  return tally
}

/** `order import`: imports the orders of a file, with any encoding and separator. */
export function registerOrderImport(program: Command, deps: ProgramDeps): void {
  const command = addApiCommand(program, 'order import', 'Adds the orders of a CSV or NDJSON file')
  command
    .argument('<tagId>', 'the tag of the shop')
    .requiredOption('--file <path>', 'a CSV file, or one JSON object a line in a file that ends in .ndjson')
    .option('--map <pairs>', 'the columns of fields: orderId=Name,value=Total')
    .addOption(new Option('--from <export>', 'an export of a shop').choices(Object.keys(shopMaps)))
    .addOption(new Option('--decimal <sign>', 'how amounts are written').choices(['point', 'comma']).default('point'))
    .action(async (tagId: string, flags: ImportFlags) => {
      const tally = await importOrders(tagId, flags, deps)
      const { created, updated, unchanged, refused } = tally
      const summary = `${created} orders created, ${updated} updated, ${unchanged} unchanged, ${refused} refused.\n`
      deps.print(flags.json ? `${JSON.stringify(tally)}\n` : summary)
      if (refused > 0) throw endWith('unfinished')
    })
}
