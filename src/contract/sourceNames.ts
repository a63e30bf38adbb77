/** The protocols of other products in which events can come to a tag, besides `POST /tag`. Each is off by default. */
export const sourceNames = [
  'segment',
  'ga4',
  'cloudEvents',
  'snowplow',
  'shopify',
  'woocommerce',
  'bigcommerce',
] as const
export type SourceName = (typeof sourceNames)[number]
