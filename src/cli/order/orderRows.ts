import { UsageError } from '#cli/operatorCall.ts'
import type { OrderWrite } from '#contract/order.ts'
import { type CsvRow, csvRows } from './csvRows.ts'

/** The column of each field of an order. */
type ColumnMap = Readonly<Partial<Record<keyof OrderWrite, string>>>
export type RowOptions = { map: ColumnMap; decimal: 'point' | 'comma'; source: string; isNdjson: boolean }

/** The columns of shop exports. */
export const shopMaps: Readonly<Record<string, ColumnMap>> = {
  'shopify-csv': {
    ...{ orderId: 'Name', aliases: 'Id', placedAt: 'Created at', status: 'Financial Status', value: 'Total' },
    ...{ currency: 'Currency', tax: 'Taxes', shipping: 'Shipping', discount: 'Discount Amount' },
    ...{ refunded: 'Refunded Amount', salesChannel: 'Source' },
  },
  'woocommerce-csv': {
    ...{ orderId: 'Order Number', aliases: 'Order ID', placedAt: 'Order Date', status: 'Order Status' },
    ...{ value: 'Order Total Amount', currency: 'Order Currency', shipping: 'Order Shipping Amount' },
    ...{ tax: 'Order Total Tax Amount', discount: 'Cart Discount Amount', refunded: 'Order Refund Amount' },
  },
  'bigcommerce-csv': {
    ...{ orderId: 'Order ID', placedAt: 'Order Date', status: 'Order Status', value: 'Order Total (inc tax)' },
    ...{ currency: 'Order Currency Code', tax: 'Tax Total', shipping: 'Shipping Cost (inc tax)' },
    ...{ refunded: 'Refund Amount' },
  },
}
const plainFields = [
  ...(['orderId', 'aliases', 'placedAt', 'updatedAt', 'status', 'salesChannel', 'value', 'currency', 'tax'] as const),
  ...(['shipping', 'discount', 'refunded', 'source'] as const),
]
/** The first line of a file without a map has the field names. */
export const ownMap: ColumnMap = Object.fromEntries(plainFields.map((name) => [name, name]))
const required = ['orderId', 'placedAt'] as const

/** `orderId=Name,value=Total` as a map. Throws UsageError. */
export function parseMap(text: string): ColumnMap {
  const pairs = text.split(',').map((pair): [string, string] => {
    const at = pair.indexOf('=')
    return [pair.slice(0, at).trim(), pair.slice(at + 1).trim()]
  })
  const wrong = pairs.find(([field, column]) => column === '' || !(plainFields as readonly string[]).includes(field))
  if (wrong) throw new UsageError(`--map: write field=Column; the fields are ${plainFields.join(', ')}.`)
  return Object.fromEntries(pairs)
}

const statusWords: Readonly<Record<string, OrderWrite['status']>> = {
  ...{
    placed: 'placed',
    pending: 'placed',
    authorized: 'placed',
    unpaid: 'placed',
    'on-hold': 'placed',
    onhold: 'placed',
  },
  ...{ 'awaiting payment': 'placed', 'awaiting fulfillment': 'paid', 'awaiting shipment': 'paid', shipped: 'paid' },
  ...{ paid: 'paid', partially_paid: 'paid', partially_refunded: 'paid', processing: 'paid', completed: 'paid' },
  ...{ cancelled: 'cancelled', canceled: 'cancelled', voided: 'cancelled', failed: 'cancelled', declined: 'cancelled' },
  ...{ refunded: 'refunded', 'partially refunded': 'paid', test: 'test' },
}
const amounts = new Set(['value', 'tax', 'shipping', 'discount', 'refunded'])
const times = new Set(['placedAt', 'updatedAt'])
/** `2026-11-20 10:00:00 +0100`, as shops write times. A time without a zone is ambiguous. */
const timeForm = /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?) ?(Z|UTC|[+-]\d\d:?\d\d)$/

function readTime(text: string): number | undefined {
  if (/^\d{12,13}$/.test(text)) return Number(text)
  const [, date, time, zone] = timeForm.exec(text) ?? []
  if (!date) return undefined
  const offset = zone === 'UTC' ? 'Z' : zone!.replace(/^([+-]\d\d)(\d\d)$/, '$1:$2')
  const ms = Date.parse(`${date}T${time}${offset}`)
  return Number.isNaN(ms) ? undefined : ms
}

const readAmount = (text: string, decimal: RowOptions['decimal']): number | undefined => {
  const form = decimal === 'comma' ? /^-?\d+(,\d+)?$/ : /^-?\d+(\.\d+)?$/
  return form.test(text) ? Number(text.replace(',', '.')) : undefined
}

type Cell = { field: string; text: string; line: number; column: number }

function readCell({ field, text, line, column }: Cell, { decimal }: RowOptions): unknown {
  const refuse = (what: string): never => {
    throw new UsageError(`Line ${line}, column ${column} (${field}): ${what}.`)
  }
  if (times.has(field))
    return readTime(text) ?? refuse('is not a time with a time zone: write 2026-11-20T10:00:00+01:00 or epoch ms')
  if (amounts.has(field))
    return (
      readAmount(text, decimal) ??
      refuse(
        decimal === 'comma' ? 'is not a number: write 84,90' : 'is not a number: write 84.90, or add --decimal comma',
      )
    )
  if (field === 'status') return statusWords[text.toLowerCase().replace(/^wc-/, '')] ?? refuse('is not an order status')
  if (field === 'salesChannel' && text === 'shopify_draft_order') return 'draft'
  return field === 'aliases'
    ? text
        .split('|')
        .map((each) => each.trim())
        .filter(Boolean)
    : text
}

/** An order of a file, and its line. */
export type FileOrder = { line: number; order: Record<string, unknown> }

function createRowReader(header: CsvRow, options: RowOptions) {
  const names = header.cells.map((name) => name.trim())
  const columns = Object.entries(options.map).flatMap(([field, name]) => {
    const at = names.indexOf(name)
    return at < 0 ? [] : [{ field, at }]
  })
  const missing = required.filter((field) => !columns.some((each) => each.field === field))
  if (missing.length > 0) {
    const wanted = missing.map((field) => options.map[field] ?? field).join(', ')
    throw new UsageError(`Line ${header.line} has no column ${wanted}: it has ${names.slice(0, 30).join(', ')}.`)
  }
  let last: string | undefined
  return ({ line, cells }: CsvRow): FileOrder | undefined => {
    if (cells.length > names.length)
      throw new UsageError(`Line ${line}, column ${names.length + 1}: the first line has ${names.length} columns.`)
    const texts = columns.map(({ field, at }) => ({ field, text: (cells[at] ?? '').trim(), line, column: at + 1 }))
    const given = texts.filter(({ text }) => text !== '')
    // further items of an order repeat its id and have neither status nor total
    const orderId = given.find(({ field }) => field === 'orderId')?.text
    const isItem = orderId === last && !given.some(({ field }) => field === 'status' || field === 'value')
    last = orderId
    if (isItem) return undefined
    const order = Object.fromEntries(given.map((cell) => [cell.field, readCell(cell, options)]))
    return { line, order: { status: 'placed', source: options.source, updatedAt: order.placedAt, ...order } }
  }
}

async function* ndjsonRows(parts: AsyncIterable<string>): AsyncGenerator<FileOrder> {
  let [rest, line] = ['', 0]
  const parse = (text: string): FileOrder[] => {
    line++
    if (text.trim() === '') return []
    try {
      return [{ line, order: JSON.parse(text) }]
    } catch {
      throw new UsageError(`Line ${line}: is not a JSON object.`)
    }
  }
  for await (const part of parts) {
    const lines = (rest + part).split('\n')
    rest = lines.pop()!
    for (const each of lines) yield* parse(each)
  }
  yield* parse(rest)
}

/** The orders of a file, one by one. Throws UsageError with the line and column of an error. */
export async function* readOrders(parts: AsyncIterable<string>, options: RowOptions): AsyncGenerator<FileOrder> {
  if (options.isNdjson) {
    yield* ndjsonRows(parts)
    return
  }
  let read: ReturnType<typeof createRowReader> | undefined
  for await (const row of csvRows(parts)) {
    if (!read) {
      read = createRowReader(row, options)
      continue
    }
    const order = read(row)
    if (order) yield order
  }
}
