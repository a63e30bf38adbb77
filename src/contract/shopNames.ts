/** The sources whose webhooks are signed with a key of the shop. */
export const shopNames = ['shopify', 'woocommerce', 'bigcommerce'] as const
export type ShopName = (typeof shopNames)[number]

/** The secrets of a shop. Two keys, so that one can replace the other without a gap. */
export const shopSecretNames = ['WEBHOOK_KEY', 'PREVIOUS_WEBHOOK_KEY', 'API_TOKEN'] as const
export type ShopSecretName = (typeof shopSecretNames)[number]
