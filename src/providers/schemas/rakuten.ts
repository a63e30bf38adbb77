import type { EventData, EventItem } from '#contract/event.ts'
import { wholePieces } from '#provider/form/items.ts'
import { minorUnits } from '#provider/form/money.ts'
import type { CapturedValues } from '#provider/form/request.ts'
import { percentDecoded } from '#provider/form/url.ts'
import type { Click } from '#provider/vendors/affiliate.ts'

/** A line of an order. `amount`: of the whole line, in minor units of the currency. */
type Row = { id: string; title: string; quantity: number; amount: number }

export const leadRow: Row = { id: 'Lead', title: 'Lead', quantity: 1, amount: 1 }

/** A request is one address, so a longer order is one line. */
const mostRows = 100

/**
 * The rows with the discount taken off in proportion to their amounts. The rows add up to the whole to the minor unit.
 */
function discounted(rows: readonly Row[], discount: number): Row[] {
  const total = rows.reduce((sum, { amount }) => sum + amount, 0)
  if (!(discount > 0) || discount > total) return [...rows]
  let seen = 0
  let taken = 0
  return rows.map((row) => {
    seen += row.amount
    const due = Math.round((discount * seen) / total) - taken
    taken += due
    return { ...row, amount: row.amount - due }
  })
}

/** The lines of an order; one for all where an item has no id or no price. */
export function orderRows(
  items: readonly EventItem[],
  { currency, discount = 0 }: EventData,
  value: number | undefined,
): Row[] {
  const bought = wholePieces(items)
  const isItemised = bought.length > 0 && bought.every(({ id, item_price }) => id && item_price !== undefined)
  const whole = { id: 'ORDER', title: 'Order', quantity: 1 }
  if (!isItemised) return [{ ...whole, amount: minorUnits(value ?? 0, currency) }]
  const rows = bought.map(({ id, title = '', item_price, quantity }) => {
    return { id: id!, title, quantity, amount: minorUnits(item_price! * quantity, currency) }
  })
  const net = discounted(rows, minorUnits(discount, currency))
  return net.length > mostRows ? [{ ...whole, amount: net.reduce((sum, { amount }) => sum + amount, 0) }] : net
}

/** The click that the network's gateway keeps in the cookie rmStore: `amid:<merchant>|atrv:<site>|ald:<time>`. */
export function gatewayClick(cookie: CapturedValues[string] | undefined, mid: string): Click | undefined {
  const members = percentDecoded(cookie?.value ?? '').split('|')
  const fields = Object.fromEntries(members.map((each) => each.split(/:(.*)/s, 2)))
  const isOwn = !fields.amid || fields.amid === mid
  return cookie && fields.atrv && isOwn ? { value: fields.atrv, at: cookie.at } : undefined
}
