import type { MatchFindingCode } from '#contract/matchQuality.ts'
import type { SharedKind } from './sharedValues.ts'

const advice: Readonly<Record<Exclude<MatchFindingCode, 'SHARED_IDENTIFIER'>, string>> = {
  EMPTY_HASH: 'Leave the field out where the value is missing: this is the hash of an empty text.',
  PLACEHOLDER_HASH: 'Leave the field out where the value is missing: this is a placeholder such as null or unknown.',
  DOUBLE_HASH: 'Hash the value once, or send it as it is: Aglet hashes it for each vendor.',
  PHONE_WITHOUT_COUNTRY:
    'Send the phone number with its country code (+49…), or set the default country of the tag, so that it can be sent.',
  CLICK_ID_MALFORMED:
    'Send the click id as it came: keep its case and characters, and check redirects that change the address.',
  CLICK_ID_OLD: 'The click is older than 90 days: read the cookie of this visit, and not one that was stored long ago.',
  SERVER_ADDRESS_SENT: 'Send the IP address of the buyer, and not that of your server, in `ip`.',
  PRIVATE_ADDRESS: 'Send the public IP address of the buyer: read it from the header of your proxy or CDN.',
  USER_AGENT_OF_A_SERVER: "Send the user agent of the buyer's browser, and not that of your program, in `userAgent`.",
  VALUE_ZERO: 'Send `data.value` as a number above 0, without a currency sign.',
  CURRENCY_MISSING: 'Send `data.currency` as three letters, such as EUR.',
  TIME_UNIT: 'The cookie holds its time in seconds: it must be milliseconds.',
  FOREIGN_PAGE: 'Send the page of your shop in `pageUrl`, or add the domain to the allowed origins of the tag.',
  DEDUP_KEY_MISSING: 'Send `data.orderId` with each purchase, so that vendors count it once.',
  BROWSER_AND_SERVER_DIFFER: 'Send the same e-mail and value for one event id from the browser and from the server.',
}

const sharedNames: Readonly<Record<SharedKind, string>> = {
  ip: 'IP address',
  userAgent: 'user agent',
  email: 'e-mail address',
  customerId: 'customer id',
  _fbp: '_fbp cookie',
}

/** The advice for a finding. `shared`: the kind of value that many visitors share. */
export function matchAdvice(code: MatchFindingCode, shared: SharedKind = 'ip'): string {
  if (code !== 'SHARED_IDENTIFIER') return advice[code]
  return `One ${sharedNames[shared]} is on events of many visitors: send that of each visitor, and check that no cache stores it.`
}
