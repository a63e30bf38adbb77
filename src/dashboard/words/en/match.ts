import type { MatchCoverage, MatchFindingCode } from '#contract/matchQuality.ts'
import type { MatchSource } from '#contract/matchSources.ts'
import { count, frequency, plural, rate } from '../format.ts'

const coverages: Record<MatchCoverage, string> = { good: 'good', fair: 'fair', poor: 'poor' }
const sources: Record<MatchSource, string> = { browser: 'Browser', server: 'Server' }
const findings: Record<MatchFindingCode, string> = {
  EMPTY_HASH: 'The hash of an empty text. Leave the field out where the value is missing.',
  PLACEHOLDER_HASH: 'A placeholder such as null or unknown. Leave the field out where the value is missing.',
  DOUBLE_HASH: 'Hashed twice. Hash the value once, or send it as it is.',
  PHONE_WITHOUT_COUNTRY: 'A phone number without country code. Send +49…, or set the default country of the tag.',
  CLICK_ID_MALFORMED: 'A damaged click id. Keep its case and characters; check redirects that change the address.',
  CLICK_ID_OLD: 'A click older than 90 days. Read the cookie of this visit.',
  SERVER_ADDRESS_SENT: 'The IP address of your server. Send the IP address of the buyer.',
  PRIVATE_ADDRESS: 'A private IP address. Read the buyer’s IP address from the header of your proxy or CDN.',
  USER_AGENT_OF_A_SERVER: "The user agent of a program. Send the user agent of the buyer's browser.",
  SHARED_IDENTIFIER:
    'The same value on events of many visitors. Send each visitor’s own value; check that no cache stores it.',
  VALUE_ZERO: 'No value above 0. Send data.value as a number, without a currency sign.',
  CURRENCY_MISSING: 'No currency. Send data.currency as three letters, such as EUR.',
  TIME_UNIT: 'A cookie whose time is in seconds. It must be milliseconds.',
  FOREIGN_PAGE: 'A page of another site. Send the right page, or allow the domain in the tag settings.',
  DEDUP_KEY_MISSING: 'No order id. Send data.orderId with each purchase, so that vendors count it once.',
  BROWSER_AND_SERVER_DIFFER: 'Browser and server sent different values for one event. Send the same from both.',
}

/** Texts of the page of match quality. */
export const matchWords = {
  intro: 'The match keys that each vendor got with delivered events, and the problems that reduce matching.',
  allEvents: 'All events',
  noChannelsTitle: 'No channel has match keys',
  noChannels: 'Deploy a channel of a vendor that matches people, such as Meta or Google Ads.',
  noEvents: 'Nothing was delivered in this range.',
  coverage: (coverage: MatchCoverage) => `coverage ${coverages[coverage]}`,
  summary: (share: number, events: number) =>
    `${rate(share)} of ${plural(events, 'delivered event', 'delivered events')} had a strong key`,
  sources: (browser: number, server: number) => `${count(browser)} from browsers, ${count(server)} from servers`,
  columns: { key: 'Key', strength: 'Strength', share: 'Share', faulty: 'Faulty' },
  source: (source: MatchSource) => sources[source],
  strength: { strong: 'strong', medium: 'medium', weak: 'weak' },
  keys: (channel: string) => `Match keys of ${channel}`,
  findings: (channel: string) => `Findings of ${channel}`,
  finding: (code: MatchFindingCode) => findings[code],
  ofEvents: (share: number) => `on ${rate(share)}`,
  example: 'Show an example',
  noFindings: 'No problems with the keys of these events.',
  vendor: {
    title: (channel: string) => `The vendor’s own rating of ${channel}`,
    score: (score: number, of: number) => `${frequency(score)} of ${count(of)}`,
    notAsked: 'The vendor has its own rating. Aglet requests it with the access token of the channel.',
    ask: 'Ask the vendor',
    asked: 'Asked',
    columns: { event: 'Event at the vendor', score: 'Rating', coverage: 'Sent by both' },
    noEvents: 'The vendor has rated no event yet.',
    errors: {
      TOKEN_REFUSED: 'The vendor refused: the access token may not read the quality of this dataset.',
      VENDOR_DOWN: 'The vendor does not answer at the moment. Try again in a minute.',
      ANSWER_UNKNOWN: 'The vendor sent an unknown answer.',
    },
  },
  own: 'Calculated by Aglet; not a rating by the vendor.',
}
