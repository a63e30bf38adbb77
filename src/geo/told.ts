import type { IncomingHttpHeaders } from 'node:http'
import type { Cdn } from '#contract/settings.ts'
import type { Located } from './locate.ts'
import { isCountry, isSubdivision } from './region.ts'

/** The headers in which a CDN says where the visitor is: an ISO 3166-1 country, and what stands behind it in ISO 3166-2. */
const names: Record<Cdn, { country: string; region: string }> = {
  // https://developers.cloudflare.com/rules/transform/managed-transforms/reference/#add-visitor-location-headers
  cloudflare: { country: 'cf-ipcountry', region: 'cf-region-code' },
  // https://docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/adding-cloudfront-headers.html
  cloudfront: { country: 'cloudfront-viewer-country', region: 'cloudfront-viewer-country-region' },
}

/** The place that these headers tell of; undefined without a country, for `XX` (unknown) and `T1` (Tor) too. */
export function placeInHeaders(headers: IncomingHttpHeaders, cdn: Cdn): Located | undefined {
  const country = headers[names[cdn].country]
  if (typeof country !== 'string' || !isCountry(country)) return undefined
  const region = `${country}-${headers[names[cdn].region]}`
  return isSubdivision(region) ? { country, region } : { country }
}
