import { hash as digest } from 'node:crypto'
import { isDigest, isDigestOfNothing, isPlaceholder, isPlaceholderEmail } from '#provider/form/placeholder.ts'
import { checked } from './findingBits.ts'

const hashNames = ['sha256', 'sha1', 'md5'] as const

const emptyDigests: ReadonlySet<string> = new Set(hashNames.map((name) => digest(name, '')))
/** Digests of the digests of an empty text: a missing value that was hashed twice. */
const doubleDigests: ReadonlySet<string> = new Set(
  hashNames.flatMap((name) => [...emptyDigests].map((each) => digest(name, each))),
)

/** Checks a text of a person that may be hashed: an e-mail, a phone number, a name or an id. */
export function personText(raw: string): number {
  const text = raw.trim().toLowerCase()
  const at = text.indexOf('@')
  if (at >= 0) return isPlaceholderEmail(text) ? checked('person', 'PLACEHOLDER_HASH') : checked('person')
  if (isPlaceholder(text)) return checked('person', 'PLACEHOLDER_HASH')
  if (!isDigest(text)) return checked('person')
  if (emptyDigests.has(text)) return checked('person', 'EMPTY_HASH')
  if (doubleDigests.has(text)) return checked('person', 'DOUBLE_HASH')
  return isDigestOfNothing(text) ? checked('person', 'PLACEHOLDER_HASH') : checked('person')
}

/**
 * Checks a phone number. It is faulty if it has no country code and no country is known. `number`: the number as Aglet
 * reads it.
 */
export function phoneText(raw: string, number: string | undefined): number {
  const text = raw.trim()
  if (isDigest(text) || isPlaceholder(text) || !/\d/.test(text)) return 0
  const isNational = number === undefined && !/^(?:\+|\(?00)/.test(text)
  return isNational ? checked('phone', 'PHONE_WITHOUT_COUNTRY') : checked('phone')
}

const privateAddress =
  /^(?:10\.|127\.|0\.|192\.168\.|169\.254\.|172\.(?:1[6-9]|2\d|3[01])\.|100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7])\.|::1$|f[cd][0-9a-f]{2}:|fe[89ab][0-9a-f]:)/i

/** `isCaller`: a server sent its own address. */
export function addressText(raw: string, isCaller: boolean): number {
  const text = raw.startsWith('::ffff:') ? raw.slice(7) : raw
  if (privateAddress.test(text.trim())) return checked('address', 'PRIVATE_ADDRESS')
  return isCaller ? checked('address', 'SERVER_ADDRESS_SENT') : checked('address')
}

/** The beginnings of the user agents of server programs. Apps are not included. */
const serverAgent =
  /^(?:node|undici|axios|got|superagent|python|aiohttp|curl|wget|php|guzzle|symfony|go-http-client|java|apache-httpclient|ruby|faraday|wordpress|woocommerce|postman|insomnia|libwww|perl|dart|reqwest)/i
export const userAgentText = (raw: string): number =>
  serverAgent.test(raw.trim()) ? checked('userAgent', 'USER_AGENT_OF_A_SERVER') : checked('userAgent')

/** Click ids in base64: case is significant, and an intact id has both cases. */
const mixedCaseIds: ReadonlySet<string> = new Set(['fbclid', 'gclid', 'gbraid', 'wbraid', 'ttclid'])
const otherClickIds = ['msclkid', 'epik', '_epik', 'ScCid', 'rdt_cid', 'li_fat_id', 'twclid', 'sccid']
export const clickNames: ReadonlySet<string> = new Set(['_fbc', '_fbp', ...mixedCaseIds, ...otherClickIds])

/** Shorter ids may be all lower case by chance. */
const chanceLength = 20
const isDamaged = (id: string) => /[\s+%]/.test(id)
const isLowered = (id: string) => id.length >= chanceLength && !/[A-Z]/.test(id)

const dayMs = 86_400_000
/** Meta matches clicks of the last 90 days. */
const oldClickMs = 90 * dayMs

/** A well-formed cookie of Meta, apart from its age and the case of its click id. */
const metaForm = /^fb\.\d\.\d{13}\.[\w-]+(?:\.[\w-]+)?$/

/** A well-formed cookie of Meta's pixel. */
const pixelForm = /^fb\.\d\.\d{13}\.\d+$/

/** Checks a cookie of Meta: `fb`, the index of the domain, the creation time, and the click id or a random number. */
function metaCookie(value: string, name: string, eventAt: number): number {
  if (name === '_fbp' && pixelForm.test(value)) return checked('click')
  if (
    name === '_fbc' &&
    metaForm.test(value) &&
    eventAt - Number(value.slice(5, 18)) <= oldClickMs &&
    /[A-Z]/.test(value)
  )
    return checked('click')
  const [prefix, index = '', madeAt = '', id = '', appendix = 'x', ...rest] = value.split('.')
  const isFormed = prefix === 'fb' && /^\d$/.test(index) && /^\d+$/.test(madeAt) && id && appendix && rest.length === 0
  if (!isFormed || isDamaged(value)) return checked('click', 'CLICK_ID_MALFORMED')
  if (madeAt.length === 10) return checked('click', 'TIME_UNIT')
  if (madeAt.length !== 13) return checked('click', 'CLICK_ID_MALFORMED')
  if (name === '_fbp') return /^\d+$/.test(id) ? checked('click') : checked('click', 'CLICK_ID_MALFORMED')
  if (isLowered(id)) return checked('click', 'CLICK_ID_MALFORMED')
  return eventAt - Number(madeAt) > oldClickMs ? checked('click', 'CLICK_ID_OLD') : checked('click')
}

/** Checks a click id, or a cookie with one, that was captured at a time (epoch ms). */
export function clickText(name: string, { value, at }: { value: string; at: number }, eventAt: number): number {
  if (name === '_fbc' || name === '_fbp') return metaCookie(value, name, eventAt)
  const isMalformed = isDamaged(value) || (mixedCaseIds.has(name) && isLowered(value))
  if (isMalformed) return checked('click', 'CLICK_ID_MALFORMED')
  return eventAt - at > oldClickMs ? checked('click', 'CLICK_ID_OLD') : checked('click')
}
