import type { MatchFindingCode } from '#contract/matchQuality.ts'
import type { SharedKind } from './sharedValues.ts'

const advice: Readonly<Record<Exclude<MatchFindingCode, 'SHARED_IDENTIFIER'>, string>> = {
  EMPTY_HASH: 'This is the hash of an empty text. Omit the field if the value is missing.',
  PLACEHOLDER_HASH: 'This is a placeholder such as null or unknown. Omit the field if the value is missing.',
  DOUBLE_HASH: 'Hash the value only once, or send it unhashed: Aglet hashes it for each vendor.',
  PHONE_WITHOUT_COUNTRY:
    'Send the phone number with its country code (+49…), or set the default country of the tag, so that vendors receive it.',
  CLICK_ID_MALFORMED:
    'Send the click id unchanged, with its case and characters. Check for redirects that change the URL.',
  CLICK_ID_OLD: 'The click is older than 90 days. Read the cookie of the current visit, not a stored one.',
  SERVER_ADDRESS_SENT: 'Send the IP address of the buyer in `ip`, not the address of your server.',
  PRIVATE_ADDRESS: 'Send the public IP address of the buyer. Read it from the header of your proxy or CDN.',
  USER_AGENT_OF_A_SERVER:
    "Send the user agent of the buyer's browser in `userAgent`, not the user agent of your program.",
  VALUE_ZERO: 'Send `data.value` as a number above 0, without a currency sign.',
  CURRENCY_MISSING: 'Send `data.currency` as three letters, such as EUR.',
  TIME_UNIT: 'The time in the cookie is in seconds. It must be in milliseconds.',
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
  return `One ${sharedNames[shared]} is the same for many visitors. Send each visitor’s own, and check that no cache stores it.`
}
