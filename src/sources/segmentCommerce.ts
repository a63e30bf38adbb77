import { withoutFloatError } from '#contract/eventValue.ts'
import { segmentEventOf } from '#contract/productEvents.ts'
import type { StandardEvent } from '#contract/standardEvents.ts'
import { discountsOf, type FieldTable, fieldTable, mapFields } from './fieldTable.ts'
import { amountOf, type Fields, fieldsOf, put, textOf } from './values.ts'

type Data = Record<string, unknown>
type ReadData = (properties: Fields) => Data

/** Other e-commerce events are read like orders. */
const readers: Readonly<Partial<Record<StandardEvent, ReadData>>> = {
  ViewContent: productData,
  AddToCart: productData,
  RemoveFromCart: productData,
  Search: searchData,
}

const itemTable: FieldTable = fieldTable({
  product_id: ['id', textOf],
  productId: ['id', textOf],
  id: ['id', textOf],
  sku: ['sku', textOf],
  name: ['title', textOf],
  title: ['title', textOf],
  category: ['category', textOf],
  price: ['item_price', amountOf],
  quantity: ['quantity', amountOf],
  brand: ['brand', textOf],
  variant: ['variantId', textOf],
  image_url: ['image', textOf],
  imageUrl: ['image', textOf],
  url: ['url', textOf],
})

const orderTable: FieldTable = fieldTable({
  order_id: ['orderId', textOf],
  orderId: ['orderId', textOf],
  total: ['value', amountOf],
  currency: ['currency', textOf],
  tax: ['tax', amountOf],
  shipping: ['shipping', amountOf],
  discount: ['discount', amountOf],
  products: ['contents', itemsOf],
  coupon: ['discounts', discountsOf],
})

const searchTable: FieldTable = fieldTable({ query: ['search', textOf] })

/** A product as an item of an event. Fields that an item does not have are kept. */
function itemOf(product: Fields): Data {
  const item: Data = {}
  mapFields(product, itemTable, item)
  if (item.id === undefined) put(item, 'id', item.sku)
  return item
}

function itemsOf(products: unknown): Data[] | undefined {
  return Array.isArray(products) && products.length > 0 ? products.map((each) => itemOf(fieldsOf(each))) : undefined
}

/** The value is gross: `total`, which includes tax and shipping; else `revenue` plus both; else `value`. */
function orderData(properties: Fields): Data {
  const data: Data = {}
  mapFields(properties, orderTable, data)
  if (amountOf(properties.total) === undefined) {
    const net = amountOf(properties.revenue)
    const gross =
      net === undefined ? amountOf(properties.value) : net + (amountOf(data.tax) ?? 0) + (amountOf(data.shipping) ?? 0)
    if (gross !== undefined) data.value = withoutFloatError(gross)
  }
  const [coupon] = (data.discounts as Data[] | undefined) ?? []
  if (coupon && typeof data.discount === 'number') Object.assign(coupon, { type: 'FLAT', value: data.discount })
  return data
}

/** The properties are those of one product, with the currency of its price. */
function productData({ currency, value, ...product }: Fields): Data {
  const item = itemOf(product)
  const price = amountOf(item.item_price)
  const total =
    amountOf(value) ?? (price === undefined ? undefined : withoutFloatError(price * (amountOf(item.quantity) ?? 1)))
  const data: Data = { contents: [item] }
  put(data, 'value', total)
  put(data, 'currency', textOf(currency))
  return data
}

function searchData(properties: Fields): Data {
  const data: Data = {}
  mapFields(properties, searchTable, data)
  return data
}

/**
 * Sets the name and the data of a `track` message: a standard event for one of e-commerce, else an event of the same
 * name.
 */
export function putTracked(event: Data, name: string, properties: Fields): void {
  const known = segmentEventOf(name)
  const isCommerce = known !== undefined || properties.products !== undefined || properties.order_id !== undefined
  const read = (known && readers[known]) ?? orderData
  event.eventName = known ?? name
  event.data = isCommerce ? read(properties) : properties
}
