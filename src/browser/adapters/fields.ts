/** The fields of another tool: their names → our names. An empty name drops the field. */
type FieldNames = ReadonlyMap<string, string>
type Fields = Record<string, unknown>

/** `transaction_id=orderId items=contents` */
export const toFieldNames = (text = ''): FieldNames =>
  new Map(text.split(' ').map((each) => each.split('=') as [string, string]))

/** A number, or the number of a text such as `12.90`; else the value itself. */
const toNumber = (value: unknown) =>
  typeof value === 'string' && value.trim() && Number.isFinite(+value) ? +value : value
const amounts = /^(value|item_price|quantity|tax|shipping|discount)$/

/** Fields under our names. Of two fields with one name the first that has a value is taken. */
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

/** The fields of another tool's event as `data` of ours. `ids` are the ids of its products. */
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
