import type { SourceName } from '#contract/sourceNames.ts'
import { bigcommerce } from './bigcommerce.ts'
import { cloudEvents } from './cloudEvents.ts'
import { ga4 } from './ga4.ts'
import { segment } from './segment.ts'
import { shopify } from './shopify.ts'
import { snowplow } from './snowplow.ts'
import type { Source } from './source.ts'
import { woocommerce } from './woocommerce.ts'

const sources: readonly Source[] = [segment, ga4, cloudEvents, snowplow, shopify, woocommerce, bigcommerce]

/** The source that handles this address, among those enabled for a tag. */
export const sourceAt = (path: string, names: readonly SourceName[]): Source | undefined =>
  sources.find((source) => names.includes(source.name) && source.methodsOf(path))

/** True if a page with the opaque origin `null` may call the address. */
export const takesOpaqueOrigin = (path: string, names: readonly SourceName[]): boolean =>
  sourceAt(path, names)?.takesOpaqueOrigin?.(path) === true

/** The address as traces show it, without the key that some addresses contain. */
export const routeOfSource = (path: string): string =>
  path.replace(/\/projects\/[^/]+\/settings$/, '/projects/{writeKey}/settings')
