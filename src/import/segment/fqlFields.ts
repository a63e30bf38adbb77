import type { Condition, Filter } from '#contract/rule/channelRules.ts'
import { isPersonalPath } from '#contract/rule/rulePaths.ts'
import { allOf, anyOf, conditionOn, isPath } from '../filter.ts'

/** The reason why an FQL expression cannot be a filter. */
export class FqlProblem extends Error {}

/** The fields to which the source `segment` maps a message path; e-commerce events have some elsewhere. */
const fields: Readonly<Record<string, readonly string[]>> = {
  event: ['eventName'],
  'context.page.url': ['pageUrl'],
  'context.page.path': ['pageUrl.path'],
  'context.page.referrer': ['referrer'],
  'context.page.title': ['pageTitle'],
  userId: ['userCustomerId'],
  'traits.email': ['userEmail'],
  'context.traits.email': ['userEmail'],
  'properties.total': ['data.total', 'data.value'],
  'properties.order_id': ['data.order_id', 'data.orderId'],
  'properties.query': ['data.query', 'data.search'],
  'properties.products': ['data.contents'],
}

/** Events whose properties describe one product, which the source maps to `data.contents`. */
const productEvents = ['ViewContent', 'AddToCart', 'RemoveFromCart']
const itemFields: Readonly<Record<string, string>> = {
  product_id: 'id',
  name: 'title',
  price: 'item_price',
  variant: 'variantId',
  image_url: 'image',
}
const ofEvent: ReadonlySet<string> = new Set(['value', 'currency', 'products'])

const propertyOf = (path: string): string | undefined => /^properties\.(.+)$/.exec(path)?.[1]

function fieldsOf(path: string): readonly string[] {
  if (Object.hasOwn(fields, path)) return fields[path]!
  const property = propertyOf(path)
  if (property !== undefined && isPath(property)) return [`data.${property}`]
  throw new FqlProblem(`events have no ${path.slice(0, 60)} here`)
}

/** The two forms of a condition on a property: for product events, and for all others. */
const forms = new WeakMap<Filter, { ofProduct: Filter; ofOthers: Filter }>()

/** The condition on any of the fields of a path. */
export function onPath(path: string, condition: Condition): Filter {
  const ofOthers = anyOf(fieldsOf(path).map((field) => conditionOn(field, condition)))
  const property = propertyOf(path)
  if (property === undefined || ofEvent.has(property)) return ofOthers
  const item = Object.hasOwn(itemFields, property) ? itemFields[property]! : property
  const ofProduct = conditionOn(`data.contents.${item}`, condition)
  // The value of a product event is computed from its price: it is not a total.
  const isWorkedOut = property === 'total'
  const others = isWorkedOut ? allOf([{ eventName: { $nin: productEvents } }, ofOthers]) : ofOthers
  const both = anyOf([others, allOf([{ eventName: { $in: productEvents } }, ofProduct])])
  forms.set(both, { ofProduct, ofOthers })
  return both
}
export const isPersonal = (path: string) => fieldsOf(path).some((field) => isPersonalPath(field.split('.')))

/** A condition on a property of an event whose name is known. */
export function ofNamed(name: Condition | undefined, filter: Filter): Filter {
  const form = forms.get(filter)
  if (!form || typeof name !== 'string') return filter
  return productEvents.includes(name) ? form.ofProduct : form.ofOthers
}
