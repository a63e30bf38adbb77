/** The fields of another tool: their names → our names. An empty name drops the field. */
type FieldNames = ReadonlyMap<string, string>
type Fields = Record<string, unknown>

/** `transaction_id=orderId items=contents` */
export const toFieldNames = (text = ''): FieldNames =>
  new Map(text.split(' ').map((each) => each.split('=') as [string, string]))

/** A number; numeric text such as `12.90` is converted, other values are kept. */
const toNumber = (value: unknown) =>
  typeof value === 'string' && value.trim() && Number.isFinite(+value) ? +value : value
const amounts = /^(value|item_price|quantity|tax|shipping|discount)$/

/** Fields under our names. If two fields get the same name, the first with a value is used. */
export function renamed(fields: Fields, names: FieldNames): Fields {
  const result: Fields = Object.create(null)
  for (const key of Object.keys(fields)) {
    const name = names.get(key) ?? key
    const value = fields[key]
    if (name && value != null && result[name] === undefined)
      result[name] = amounts.test(name) ? toNumber(value) : /^(id|orderId)$/.test(name) ? `${value}` : value
  }
  return result
}

/** The fields of another tool's event as our `data`. `ids` are its product ids. */
export function toEventData(fields: Fields, names: FieldNames, itemNames: FieldNames): Fields {
  const { ids, coupon, ...data } = renamed(fields, names)
  const items = data.contents ?? ids
  if (items)
    data.contents = [items]
      .flat()
      .map((item) => (Object(item) === item ? renamed(item as Fields, itemNames) : { id: `${item}` }))
  if (coupon) data.discounts ??= [{ code: coupon }]
  return data
}
