import { type ConsentSignals, consentWord } from '#provider/form/consentSignals.ts'
import { totalQuantity } from '#provider/form/items.ts'
import { roundedToHundredths, unlessNegative } from '#provider/form/money.ts'
import type { Normalise } from '#provider/form/normalise.ts'
import { unlessEmpty } from '#provider/form/optionalValues.ts'
import type { RequestContext } from '#provider/form/request.ts'
import { isoTime } from '#provider/form/time.ts'

export const hosts = {
  NA: 'advertising-api.amazon.com',
  EU: 'advertising-api-eu.amazon.com',
  FE: 'advertising-api-fe.amazon.com',
} as const

export const eventNames = {
  PageView: 'PAGE_VIEW',
  ViewContent: 'OTHER',
  AddToCart: 'ADD_TO_SHOPPING_CART',
  InitiateCheckout: 'CHECKOUT',
  AddPaymentInfo: 'OTHER',
  Purchase: 'OFF_AMAZON_PURCHASES',
  Subscribe: 'SUBSCRIBE',
  Search: 'SEARCH',
  Lead: 'LEAD',
}

const orUndefined = (text: string) => text || undefined

/** Lower case, of letters, digits and `. @ + -` only: what Amazon's own connector keeps. */
export const amazonEmail: Normalise = (raw) =>
  /^[^@]+@[^@]+$/.exec(raw.toLowerCase().replace(/[^a-z0-9.@+-]/g, ''))?.[0]

/** Lower case, of the letters a to z and digits only: `Saint-Étienne` → `sainttienne`. */
export const plainLetters: Normalise = (raw) => orUndefined(raw.toLowerCase().replace(/[^a-z0-9]/g, ''))

/** Lower case without spaces. */
export const withoutSpaces: Normalise = (raw) => orUndefined(raw.toLowerCase().replace(/\s/g, ''))

/** The currencies that Amazon takes. */
const currencies: ReadonlySet<string> = new Set(
  'AED AUD BRL CAD CNY DKK EUR GBP INR JPY MXN NOK NZD SAR SEK SGD TRY USD'.split(' '),
)

/**
 * The value: of a purchase in its currency, of any other event a score. Of a purchase in a currency that Amazon does
 * not take there is none.
 */
function moneyOf(isPurchase: boolean, { data, value }: Pick<RequestContext, 'data' | 'value'>) {
  const { currency } = data
  const isTaken = currency === undefined || currencies.has(currency)
  const amount = isPurchase && !isTaken ? undefined : unlessNegative(value)
  return {
    value: amount === undefined ? undefined : roundedToHundredths(amount),
    currencyCode: isPurchase && isTaken ? currency : undefined,
  }
}

/**
 * The consent to advertising of the event's consent maps, and the place of the person; undefined where neither is
 * known.
 */
function consentOf({ advertising }: Pick<ConsentSignals, 'advertising'>, ipAddress: string | undefined) {
  const state = consentWord(advertising, { granted: 'GRANTED', denied: 'DENIED' })
  return unlessEmpty({
    geo: unlessEmpty({ ipAddress }),
    amazonConsent: state && { amznUserData: state, amznAdStorage: state },
  })
}

/** Amazon takes only letters, digits and underscores in custom data. */
const customData = (orderId: string | undefined) =>
  orderId && [{ name: 'order_id', dataType: 'STRING', value: orderId.replace(/[^A-Za-z0-9_]/g, '_') }]

/** The `check` of the advertiser id. */
export const longNumber = (id: string) => (/^\d{5,20}$/.test(id) ? undefined : 'Write the number alone: digits only.')

/** The `check` of the name of a dataset. */
export const datasetName = (name: string) =>
  /^[A-Za-z].{4,99}$/.test(name) ? undefined : 'Write 5 to 100 characters, of which the first is a letter.'

/** The `check` of a country. */
export const capitalLetters = (code: string) => (/^[A-Z]{2}$/.test(code) ? undefined : 'Write two capital letters.')

type Defaults = { AMAZON_ADS_DATASET_NAME?: string; AMAZON_ADS_COUNTRY_CODE?: string }

/** One member of `events`. `user` holds the match keys by their type, and the IP address and the country. */
export function eventOf(context: RequestContext, conversionType: string, defaults: Defaults) {
  const { event, data, items } = context
  const { ip, country, ...keys } = context.user
  const isPurchase = conversionType === 'OFF_AMAZON_PURCHASES'
  return {
    eventDescription: {
      name: event.eventName,
      conversionType,
      eventSource: 'WEBSITE',
      eventIngestionMethod: 'SERVER_TO_SERVER',
      dataSetName: defaults.AMAZON_ADS_DATASET_NAME,
    },
    eventTime: isoTime(event.timestamp),
    countryCode: country ?? defaults.AMAZON_ADS_COUNTRY_CODE,
    eventId: event.eventId,
    ...moneyOf(isPurchase, context),
    unitsSold: isPurchase ? totalQuantity(items) : undefined,
    matchKeys: Object.entries(keys).map(([type, value]) => ({ type, values: [value] })),
    consent: consentOf(context.consent, ip),
    customData: customData(data.orderId),
  }
}

type Answer = { error?: { index: number; errors?: { message?: string }[] }[] }

/** The rows in `error` of a 207 were not taken, and will not be. `index` is the place in `events`. */
export const failedRows = ({ error = [] }: Answer) =>
  error.map(({ index, errors }) => ({ row: index, verdict: 'refused' as const, message: errors?.[0]?.message }))
