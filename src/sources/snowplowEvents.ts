import { withoutFloatError } from '#contract/eventValue.ts'
import type { StandardEvent } from '#contract/standardEvents.ts'
import { discountsOf, type FieldTable, fieldTable, mapFields } from './fieldTable.ts'
import { amountOf, type Fields, fieldsOf, put, textOf } from './values.ts'

/** A self-describing JSON. Its schema, `iglu:vendor/name/jsonschema/1-0-0`, has the name. */
export type Described = { vendor: string; name: string; data: Fields }

const schemaPattern = /^iglu:([a-zA-Z0-9._-]{1,200})\/([a-zA-Z0-9._-]{1,200})\/jsonschema\/[0-9-]{1,30}$/

export function describedOf(value: unknown): Described | undefined {
  const { schema, data } = fieldsOf(value)
  const [, vendor, name] = (typeof schema === 'string' && schemaPattern.exec(schema)) || []
  return vendor && name ? { vendor, name, data: fieldsOf(data) } : undefined
}

/** The action types of the e-commerce plugin. `refund` is an event that several providers know. */
const actions: ReadonlyMap<string, StandardEvent | 'Refund'> = new Map([
  ['product_view', 'ViewContent'],
  ['add_to_cart', 'AddToCart'],
  ['remove_from_cart', 'RemoveFromCart'],
  ['checkout_step', 'InitiateCheckout'],
  ['transaction', 'Purchase'],
  ['refund', 'Refund'],
])

const productTable: FieldTable = fieldTable({
  id: ['id', textOf],
  sku: ['id', textOf],
  name: ['title', textOf],
  category: ['category', textOf],
  brand: ['brand', textOf],
  variant: ['variantId', textOf],
  price: ['item_price', amountOf],
  unit_price: ['item_price', amountOf],
  quantity: ['quantity', amountOf],
})

const orderTable: FieldTable = fieldTable({
  transaction_id: ['orderId', textOf],
  revenue: ['value', amountOf],
  refund_amount: ['value', amountOf],
  total_value: ['value', amountOf],
  currency: ['currency', textOf],
  tax: ['tax', amountOf],
  shipping: ['shipping', amountOf],
  discount_amount: ['discount', amountOf],
  discount_code: ['discounts', discountsOf],
})

export function productOf(fields: Fields): Record<string, unknown> {
  const item: Record<string, unknown> = {}
  mapFields(fields, productTable, item)
  return item
}

const ecommerce = 'com.snowplowanalytics.snowplow.ecommerce'

/** The value of items with prices, for an event whose order or cart has none. */
function itemsValue(items: readonly Fields[]): number | undefined {
  const sums = items.map((item) => {
    const price = amountOf(item.item_price)
    return price === undefined ? undefined : price * (amountOf(item.quantity) ?? 1)
  })
  if (sums.length === 0 || sums.includes(undefined)) return undefined
  return withoutFloatError((sums as number[]).reduce((sum, each) => sum + each, 0))
}

type Named = { eventName: string; data: Record<string, unknown> }

/** An action of the e-commerce plugin. Its products, cart and order are in the entities. */
function actionEvent({ data: action }: Described, entities: readonly Described[]): Named {
  const { type, ...rest } = action
  const data: Record<string, unknown> = { ...rest }
  const ofPlugin = entities.filter(({ vendor }) => vendor === ecommerce)
  for (const { name, data: fields } of ofPlugin)
    if (name === 'transaction' || name === 'refund' || name === 'cart') mapFields(fields, orderTable, data)
  const items = ofPlugin.filter(({ name }) => name === 'product').map(({ data: fields }) => productOf(fields))
  if (items.length > 0) data.contents = items
  if (data.value === undefined) put(data, 'value', itemsValue(items))
  if (data.currency === undefined) put(data, 'currency', textOf(items[0]?.currency))
  const step = ofPlugin.find(({ name }) => name === 'checkout_step')
  if (step) data.checkoutStep = step.data
  const name = textOf(type) ?? 'ecommerce_action'
  return { eventName: actions.get(name) ?? name, data }
}

/** An event of the older tracker functions. The product is the event itself. */
function cartEvent(eventName: StandardEvent, fields: Fields): Named {
  const { currency, ...product } = fields
  const item = productOf(product)
  const data: Record<string, unknown> = { contents: [item] }
  put(data, 'value', itemsValue([item]))
  put(data, 'currency', textOf(currency))
  return { eventName, data }
}

/** A known self-describing event becomes a standard event, any other one an event named like its schema. */
export function describedEvent(described: Described, entities: readonly Described[]): Named {
  const { vendor, name, data } = described
  if (vendor === ecommerce && name === 'snowplow_ecommerce_action') return actionEvent(described, entities)
  if (vendor === 'com.snowplowanalytics.snowplow') {
    if (name === 'add_to_cart') return cartEvent('AddToCart', data)
    if (name === 'remove_from_cart') return cartEvent('RemoveFromCart', data)
    if (name === 'site_search') {
      const { terms, ...rest } = data
      const search = Array.isArray(terms) ? terms.flatMap((term) => textOf(term) ?? []).join(' ') : undefined
      return { eventName: 'Search', data: { ...rest, ...(search && { search }) } }
    }
    if (name === 'screen_view') return { eventName: 'ScreenView', data: { ...data } }
  }
  return { eventName: name, data: { ...data } }
}

/** The consent of the event `consent_preferences`: the scopes that the visitor has agreed to, as choices by name. */
export function consentChoices({ name, data }: Described): [name: string, value: boolean][] {
  if (name !== 'consent_preferences') return []
  const scopes = Array.isArray(data.consentScopes) ? data.consentScopes.slice(0, 100) : []
  const named = scopes.flatMap((scope): [string, boolean][] => (typeof scope === 'string' ? [[scope, true]] : []))
  if (data.eventType === 'allow_all') return [['all', true], ...named]
  if (data.eventType === 'deny_all') return [['all', false]]
  return data.eventType === 'allow_selected' ? named : []
}
