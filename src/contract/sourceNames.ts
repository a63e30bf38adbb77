/** The protocols of other products that a tag can accept in addition to `POST /tag`. Each is off by default. */
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
