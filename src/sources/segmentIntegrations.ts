import { type ProviderId, providerIds } from '#contract/providerIds.ts'
import { type Fields, quoted } from './values.ts'

const simplified = (name: string) => name.toLowerCase().replace(/[^a-z0-9]/g, '')

/** Destinations that are not named like our provider. */
const otherNames: Readonly<Record<string, ProviderId>> = {
  facebookpixel: 'facebook',
  facebookconversionsapi: 'facebook',
  facebookconversionsapiactions: 'facebook',
  metaconversionsapi: 'facebook',
  googleanalytics: 'googleAnalytics4',
  ga4: 'googleAnalytics4',
  googleadsconversions: 'googleAdsClicks',
  tiktokconversions: 'tiktok',
  tiktokpixel: 'tiktok',
  pinterestconversionsapi: 'pinterest',
  snapconversionsapi: 'snapchat',
  redditconversionsapi: 'reddit',
  linkedinconversionsapi: 'linkedIn',
  hubspotcloudmode: 'hubspot',
}
const providerNames: ReadonlyMap<string, ProviderId> = new Map([
  ...providerIds.map((id) => [simplified(id), id] as const),
  ...Object.entries(otherNames),
])

/**
 * The channels of a message, from its `integrations`. An object of settings counts as true. The sender's own name
 * (`Segment.io`) selects no channel.
 */
export function selectedProviders(integrations: Fields): { providers?: Record<string, boolean>; notes: string[] } {
  const providers: Record<string, boolean> = {}
  const notes: string[] = []
  for (const [name, value] of Object.entries(integrations)) {
    const key = simplified(name.slice(0, 100))
    const isOn = value !== false && value !== null
    if (key === 'segmentio') continue
    const id = key === 'all' ? 'all' : providerNames.get(key)
    if (id) providers[id] = isOn
    else notes.push(`its integration ${quoted(name)} is not a provider`)
  }
  if (Object.keys(providers).length === 0) return { notes: notes.slice(0, 5) }
  return { providers: { all: true, ...providers }, notes: notes.slice(0, 5) }
}
