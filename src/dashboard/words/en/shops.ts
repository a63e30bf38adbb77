import type { ShopName, ShopSecretName } from '#contract/shopNames.ts'

/** Texts of the form of the shops of a tag. */
export const shopWords = {
  title: 'Shops',
  hint: 'The shop signs its webhooks with a key. Without the key, the tag refuses them. The key is encrypted in this browser and never shown again.',
  names: {
    shopify: 'Shopify',
    woocommerce: 'WooCommerce',
    bigcommerce: 'BigCommerce',
  } satisfies Record<ShopName, string>,
  columns: { shop: 'Shop', name: 'Its name', keys: 'Keys', address: 'Address of its webhooks' },
  notConnected: 'not connected',
  connect: 'Connect',
  edit: 'Change',
  remove: 'Disconnect',
  connectTitle: (shop: string) => `Connect ${shop}`,
  removeTitle: (shop: string) => `Disconnect ${shop}?`,
  removeText: 'Its webhooks are refused from then on, and its keys are deleted. The orders and events stay.',
  nameLabel: 'Name of the shop',
  nameHints: {
    shopify: 'name.myshopify.com',
    woocommerce: 'The host name of its home page, such as shop.example',
    bigcommerce: 'The store hash: the part of the API path after /stores/',
  } satisfies Record<ShopName, string>,
  secrets: {
    WEBHOOK_KEY: 'Key of the webhooks',
    PREVIOUS_WEBHOOK_KEY: 'Previous key',
    API_TOKEN: 'Access token of the API account',
  } satisfies Record<ShopSecretName, string>,
  secretHints: {
    shopify: 'Shopify shows it in Settings, Notifications, Webhooks, below the list.',
    woocommerce: 'At least 16 characters that you choose; the same as in the plug-in.',
    bigcommerce: 'The client secret of the API account.',
  } satisfies Record<ShopName, string>,
  previousHint: 'While you replace a key, webhooks that are signed with the previous one are still accepted.',
  isSet: 'It is set. Leave it empty to keep it.',
  purchaseOn: 'An order becomes a purchase',
  purchaseOns: { create: 'when it is placed', paid: 'when it is paid' },
  orderId: 'Order id in events',
  orderIds: { name: 'the number that the buyer sees', id: 'the id of the database' },
  productId: 'Product id in events',
  productIds: { product: 'the product', variant: 'the variant', sku: 'the SKU' },
  salesChannels: 'Sales channels that are sent',
  salesChannelsHint: 'One on each line: web, pos, draft, app, … Every order is listed in Orders.',
  joinSeconds: 'Wait for the webhook, in seconds',
  joinHint:
    'The purchase from the page waits this long for the order from the shop, so that one event has the data of both.',
  sendRefunds: 'Send refunds as events',
  sendTests: 'Send test orders as events',
  save: 'Save the shop',
}
