import type { IncomingHttpHeaders } from 'node:http'
import type { Cdn } from '#settings/trustProxy.ts'
import type { Location } from './locate.ts'
import { isCountry, isSubdivision } from './region.ts'

/**
 * The headers with the visitor's location: the ISO 3166-1 country, and the part of the ISO 3166-2 code after the
 * country.
 */
const names: Record<Cdn, { country: string; region: string }> = {
  // https://developers.cloudflare.com/rules/transform/managed-transforms/reference/#add-visitor-location-headers
  cloudflare: { country: 'cf-ipcountry', region: 'cf-region-code' },
  // https://docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/adding-cloudfront-headers.html
  cloudfront: { country: 'cloudfront-viewer-country', region: 'cloudfront-viewer-country-region' },
}

/** The location in these headers. Undefined without a country, and for `XX` (unknown) and `T1` (Tor). */
export function readCdnLocation(headers: IncomingHttpHeaders, cdn: Cdn): Location | undefined {
  const country = headers[names[cdn].country]
  if (typeof country !== 'string' || !isCountry(country)) return undefined
  const region = `${country}-${headers[names[cdn].region]}`
  return isSubdivision(region) ? { country, region } : { country }
}
