import type { ProviderId } from '#contract/providerIds.ts'
import { addNote, type ImportDraft, newDraft, note, noteOn } from '../importDraft.ts'
import type { ImportCode, ImportedElement } from '../importResult.ts'
import type { GtmContainer, GtmTag } from './container.ts'
import type { Resolver } from './variables.ts'

const googleTag =
  'Point the Google tag to the tag URL, or remove this channel. Otherwise Google counts its events twice.'

/** Tag types of a web container: a description, and the channel that can replace them. */
const webTypes: Readonly<
  Record<
    string,
    readonly [
      text: string,
      code: ImportCode,
      pixel?: readonly [provider: ProviderId, variable: string, parameter: string],
    ]
  >
> = {
  googtag: [googleTag, 'PAGE_ONLY', ['googleAnalytics4', 'GOOGLE_ANALYTICS_4_MEASUREMENT_ID', 'tagId']],
  gaawc: [googleTag, 'PAGE_ONLY', ['googleAnalytics4', 'GOOGLE_ANALYTICS_4_MEASUREMENT_ID', 'measurementId']],
  gaawe: ['The Google tag sends this event, and the source ga4 accepts it.', 'PAGE_ONLY'],
  awct: ['The conversion needs the id from the API.', 'MISSING_VALUE', ['googleAdsClicks', '', '']],
  sp: ['Google Ads remarketing stays in the page.', 'PAGE_ONLY'],
  gclidw: ['Nothing to do: the SDK captures click ids.', 'PAGE_ONLY'],
  flc: ['Floodlight of the page.', 'PAGE_ONLY', ['floodlight', 'FLOODLIGHT_CONFIGURATION_ID', 'advertiserId']],
  fls: ['Floodlight of the page.', 'PAGE_ONLY', ['floodlight', 'FLOODLIGHT_CONFIGURATION_ID', 'advertiserId']],
  baut: ['The tag of Microsoft Ads.', 'PAGE_ONLY', ['bing', 'BING_TAG_ID', 'tagId']],
  bzi: ['The tag of LinkedIn.', 'PAGE_ONLY', ['linkedIn', 'LINKEDIN_PARTNER_ID', 'id']],
  pntr: ['The tag of Pinterest.', 'PAGE_ONLY', ['pinterest', 'PINTEREST_TAG_ID', 'tagId']],
  hjtc: ['Hotjar records in the page.', 'PAGE_ONLY'],
  asp: ['AdRoll of the page.', 'PAGE_ONLY'],
  img: ['An image of another server.', 'PAGE_ONLY'],
  ua: ['Universal Analytics has been discontinued.', 'ENDED_PRODUCT'],
}

/** Pixel calls in the code of a tag. The code is only searched for an id: it is neither run nor copied. */
const pixels: readonly (readonly [call: RegExp, provider: ProviderId, variable: string])[] = [
  [/\bfbq\(\s*['"]init['"]\s*,\s*['"]?(\d{5,25})/, 'facebook', 'FACEBOOK_PIXEL_ID'],
  [/\bttq\.load\(\s*['"]([A-Z0-9]{10,40})['"]/, 'tiktok', 'TIKTOK_PIXEL_CODE'],
  [/\bpintrk\(\s*['"]load['"]\s*,\s*['"](\d{5,25})['"]/, 'pinterest', 'PINTEREST_TAG_ID'],
  [/\bsnaptr\(\s*['"]init['"]\s*,\s*['"]([\w-]{10,60})['"]/, 'snapchat', 'SNAPCHAT_PIXEL_ID'],
  [/\b_linkedin_partner_id\s*=\s*['"](\d{3,20})['"]/, 'linkedIn', 'LINKEDIN_PARTNER_ID'],
  [/\brdt\(\s*['"]init['"]\s*,\s*['"]([\w-]{5,40})['"]/, 'reddit', 'REDDIT_PIXEL_ID'],
  [/\btwq\(\s*['"]config['"]\s*,\s*['"]([a-z0-9]{4,20})['"]/, 'twitter', 'TWITTER_PIXEL_ID'],
  [/\bti\s*:\s*['"]?(\d{5,15})['"]?/, 'bing', 'BING_TAG_ID'],
]

const draft = (providerId: ProviderId, values: Record<string, string>, element: ImportedElement): ImportDraft =>
  newDraft({ providerId, elements: [element], values, routes: [{}] })

/** Maximum characters of a tag's code that are searched. */
const longestCode = 200_000

function draftsOfCode(tag: GtmTag, element: ImportedElement, resolver: Resolver): ImportDraft[] {
  // The id may be a reference, which is resolved in the call.
  const code = (tag.parameters.texts.get('html') ?? '').slice(0, longestCode)
  const text = code.replace(/\{\{[^{}]{1,300}\}\}/g, (reference) => {
    const value = resolver.resolve(reference)
    return value.kind === 'constant' && /^[\w-]{1,60}$/.test(value.value) ? value.value : ''
  })
  const found = pixels.flatMap(([call, provider, variable]) => {
    const id = call.exec(text)?.[1]
    return id === undefined ? [] : [draft(provider, { [variable]: id }, element)]
  })
  addNote(
    element,
    found.length > 0
      ? note(
          'needsDecision',
          'The pixel in the code can stay; the channel sends the same events from the server.',
          'PAGE_ONLY',
        )
      : note('notMapped', 'The code stays in the page.', 'CUSTOM_CODE'),
  )
  return found
}

/** The channels that can replace a tag of a web container. */
export function draftsOfWebTag(
  tag: GtmTag,
  element: ImportedElement,
  { templates }: GtmContainer,
  resolver: Resolver,
): ImportDraft[] {
  if (tag.type === 'html') return draftsOfCode(tag, element, resolver)
  const type = Object.hasOwn(webTypes, tag.type) ? webTypes[tag.type]! : undefined
  if (!type) {
    const template = templates.find(({ types }) => types.includes(tag.type))
    const isDataTag = template?.repository === 'stape-io/data-tag' || template?.displayName === 'data tag'
    if (isDataTag) noteOn(element, 'needsDecision', 'Replace the Data Tag with a call to the SDK.', 'PAGE_ONLY')
    else noteOn(element, 'notMapped', `${template?.name ?? `The type ${tag.type}`} stays in the page.`, 'PAGE_ONLY')
    return []
  }
  const [text, code, pixel] = type
  noteOn(element, pixel ? 'needsDecision' : code === 'PAGE_ONLY' ? 'mapped' : 'notMapped', text, code)
  if (!pixel) return []
  const [provider, variable, parameter] = pixel
  const id = resolver.resolve(tag.parameters.texts.get(parameter) ?? '')
  if (tag.type === 'googtag' && (id.kind !== 'constant' || !id.value.startsWith('G-'))) return []
  return [draft(provider, variable && id.kind === 'constant' && id.value ? { [variable]: id.value } : {}, element)]
}
