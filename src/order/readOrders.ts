import { badRequest } from '#contract/fault.ts'
import { keptOrdersDays, maxOrders, OrderWrite } from '#contract/order.ts'
import { normalOrderId } from '#contract/orderId.ts'
import type { Issue } from '#contract/schema.ts'
import { isPersonalName } from '#contract/standardKeys.ts'
import { compileValidator } from '#contract/validator.ts'
import type { OrderRecord } from '#store/orders.ts'

/** An order to store, or the reasons why it is refused. */
type ReadOrder = { orderId: string } & (
  | { order: Omit<OrderRecord, 'tagId'>; issues?: never }
  | { issues: readonly Issue[] }
)

const hourMs = 3_600_000
const dayMs = 24 * hourMs
const checkOrder = compileValidator(OrderWrite)
const currencies: ReadonlySet<string> = new Set(Intl.supportedValuesOf('currency'))
// biome-ignore lint/suspicious/noControlCharactersInRegex: a database stores none of them as text
const control = /[\u0000-\u001f\u007f]/

/** Throws badRequest unless a call has 1 to 1,000 orders. */
export function refuseWrongCount({ length }: readonly unknown[]): void {
  if (length === 0) throw badRequest({ path: '', message: 'must contain at least one order' })
  if (length > maxOrders) throw badRequest({ path: '', message: `has ${length} orders; the limit is ${maxOrders}` })
}

/** Orders must have no personal data. Throws badRequest with the path of each such field. */
export function refusePersonalFields(rows: readonly unknown[]): void {
  const issues = rows.flatMap((row, index) =>
    typeof row !== 'object' || row === null
      ? []
      : Object.keys(row)
          .filter(isPersonalName)
          .map((name) => ({ path: `${index}.${name.slice(0, 60)}`, message: 'is personal data: omit it' })),
  )
  if (issues.length > 0) throw badRequest(...issues.slice(0, 20))
}

function timeIssues({ placedAt, updatedAt }: OrderWrite, nowMs: number): Issue[] {
  const issues: Issue[] = []
  if (placedAt > nowMs + hourMs)
    issues.push({ path: 'placedAt', message: 'is in the future: write epoch milliseconds' })
  if (placedAt < nowMs - keptOrdersDays * dayMs)
    issues.push({ path: 'placedAt', message: `is more than ${keptOrdersDays} days ago` })
  // a version from the future would block every later one
  if (updatedAt > nowMs + hourMs)
    issues.push({ path: 'updatedAt', message: 'is in the future: write epoch milliseconds' })
  return issues
}

function valueIssues({ value, refunded, currency }: OrderWrite): Issue[] {
  const issues: Issue[] = []
  if (currency != null && !currencies.has(currency))
    issues.push({ path: 'currency', message: `${currency} is not an ISO 4217 currency` })
  if (value != null && currency == null) issues.push({ path: 'currency', message: 'is required if value is present' })
  if (refunded != null && value != null && refunded > value)
    issues.push({ path: 'refunded', message: `is greater than the value of the order, ${value}` })
  return issues
}

function nameIssues({ orderId, aliases, salesChannel, source }: OrderWrite): Issue[] {
  const issues: Issue[] = []
  if (normalOrderId(orderId) === '') issues.push({ path: 'orderId', message: 'is empty' })
  const texts: [string, string][] = [
    ['orderId', orderId],
    ...(aliases ?? []).map((each, n): [string, string] => [`aliases.${n}`, each]),
    ['salesChannel', salesChannel ?? ''],
    ['source', source ?? ''],
  ]
  for (const [path, text] of texts)
    if (control.test(text) || !text.isWellFormed()) issues.push({ path, message: 'contains a control character' })
  return issues
}

const withoutEmpty = <Fields extends object>(fields: Fields) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value != null && value !== '')) as {
    [Name in keyof Fields]?: NonNullable<Fields[Name]>
  }

function toRecord(row: OrderWrite): Omit<OrderRecord, 'tagId'> {
  const { orderId, placedAt, updatedAt, status, salesChannel, currency, value, tax, shipping, discount } = row
  const { refunded, source } = row
  const id = normalOrderId(orderId)
  const aliases = [...new Set((row.aliases ?? []).map((each) => each.trim()))].filter(
    (each) => each !== '' && each !== orderId.trim(),
  )
  return {
    ...{ id, orderId: orderId.trim(), aliases, placedAt, updatedAt, status },
    ...withoutEmpty({ salesChannel, currency, value, tax, shipping, discount, refunded, source }),
  }
}

/** `nowMs`: times are compared with it. */
export function readOrder(row: unknown, nowMs: number): ReadOrder {
  const { orderId: given } = (row ?? {}) as Record<string, unknown>
  const orderId = typeof given === 'string' ? given.slice(0, 200) : ''
  const issues = checkOrder(row)
  if (issues.length > 0) return { orderId, issues }
  const write = row as OrderWrite
  const more = [...nameIssues(write), ...timeIssues(write, nowMs), ...valueIssues(write)]
  return more.length > 0 ? { orderId, issues: more } : { orderId, order: toRecord(write) }
}
