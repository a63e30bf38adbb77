import { Nullable, type Static, Type } from './schema.ts'
import { SecretEntry } from './script.ts'
import { shopNames, shopSecretNames } from './shopNames.ts'

const Source = Type.Enum([...shopNames])
const options = {
  shop: Type.String({
    minLength: 1,
    maxLength: 253,
    description:
      'the name by which the shop signs itself: `name.myshopify.com`, the host name of the WooCommerce shop, or the store hash of BigCommerce',
    documented: { pattern: '^[A-Za-z0-9.:-]+$' },
  }),
  purchaseOn: Nullable(
    Type.Enum(['create', 'paid'], { description: 'when the order becomes a `Purchase`; `create` by default' }),
  ),
  orderId: Nullable(
    Type.Enum(['name', 'id'], {
      description: 'what `data.orderId` is: the order number that the buyer sees (default), or the id of the database',
    }),
  ),
  productIdFrom: Nullable(
    Type.Enum(['product', 'variant', 'sku'], {
      description: 'what `data.contents[].id` is, as in the product feeds of the vendors; `product` by default',
    }),
  ),
  salesChannels: Nullable(
    Type.Array(Type.String({ minLength: 1, maxLength: 60 }), {
      maxItems: 20,
      description: 'the sales channels whose orders become events; `web` by default. Every order is listed',
    }),
  ),
  joinMs: Nullable(
    Type.Integer({
      minimum: 0,
      maximum: 600_000,
      description: 'how long the purchase of a page waits for the webhook of the order, in ms; 60,000 by default',
    }),
  ),
  sendRefunds: Nullable(Type.Boolean({ description: 'whether a refund becomes an event `Refund`; true by default' })),
  sendTests: Nullable(Type.Boolean({ description: 'whether a test order becomes an event; false by default' })),
}

export const ShopWrite = Type.Object({
  source: Source,
  ...options,
  secrets: Nullable(
    Type.Array(SecretEntry, {
      maxItems: shopSecretNames.length,
      description: `${shopSecretNames.map((name) => `\`${name}\``).join(', ')}, type PASSWORD, sealed for the source as provider; an empty plaintext unsets one, an absent one stays`,
    }),
  ),
})
export type ShopWrite = Static<typeof ShopWrite>

/** A shop in GET /tag/{tagId}: shows which secrets are set, but no values. */
export const Shop = Type.Object({
  source: Source,
  shop: Type.String(),
  purchaseOn: Type.Enum(['create', 'paid']),
  orderId: Type.Enum(['name', 'id']),
  productIdFrom: Type.Enum(['product', 'variant', 'sku']),
  salesChannels: Type.Array(Type.String()),
  joinMs: Type.Integer(),
  sendRefunds: Type.Boolean(),
  sendTests: Type.Boolean(),
  secrets: Type.Array(Type.Enum([...shopSecretNames]), { description: 'the secrets that are set' }),
})
export type Shop = Static<typeof Shop>
