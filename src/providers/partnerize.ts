import type { EventItem } from '#contract/event.ts'
import { wholePieces } from '#provider/form/items.ts'
import { withoutFloatError } from '#provider/form/money.ts'
import { countryCode, nonEmailId } from '#provider/form/normalise.ts'
import { provider } from '#provider/form/provider.ts'
import type { RequestParams } from '#provider/form/request.ts'
import { epochSeconds } from '#provider/form/time.ts'
import { plain } from '#provider/form/userRule.ts'
import { identifier, optional, text } from '#provider/form/variables.ts'
import { clickWindowMs, customerStatus, lastClick, leadEvent } from '#provider/vendors/affiliate.ts'

/** Partnerize reads `name:value` segments of the path. Colons, slashes and brackets in a value are percent-encoded. */
const segments = (fields: RequestParams) =>
  Object.entries(fields)
    .filter(([, value]) => value !== undefined && value !== '')
    .map(([name, value]) => `${name}:${encodeURIComponent(`${value}`.toWellFormed())}`)
    .join('/')

const itemGroup = (category: string) => (item: EventItem) =>
  `[${segments({ category: item.category ?? category, sku: item.sku ?? item.id, value: item.item_price, quantity: item.quantity ?? 1 })}]`

/** One item for each category: commission is set per category, and the length of a URL is limited. */
const byCategory = (items: readonly EventItem[]): EventItem[] =>
  Object.entries(Object.groupBy(items, ({ category = '' }) => category)).map(([category, group = []]) => ({
    ...(category && { category }),
    item_price: withoutFloatError(
      group.reduce((sum, { item_price = 0, quantity = 1 }) => sum + item_price * quantity, 0),
    ),
  }))

export default provider({
  label: 'Partnerize',
  stage: 'beta',
  consent: ['advertising', 'functional'],
  docs: 'https://help.phgsupport.com/hc/en-us/articles/360020395238-Tracking-Partnerize-Server-to-Server-S2S-Integration',
  dashboardUrl: 'https://console.partnerize.com',
  links: { faq: 'https://help.phgsupport.com/hc/en-us/articles/4911132562333-Tracking-FAQ-s-Server-to-Server-S2S' },
  host: 'fixed',
  hasActivation: true,

  secrets: {
    PARTNERIZE_CAMPAIGN_ID: identifier(
      'Campaign ID',
      'Campaigns, your campaign: the reference beside its name. Partnerize has to allow server calls for it.',
      {
        check: (id: string) => (/^[A-Za-z0-9]{1,32}$/.test(id) ? undefined : 'Write letters and digits only.'),
      },
    ),
    PARTNERIZE_DEFAULT_CATEGORY: text(
      'Default category',
      'The category of an item without one: commission is set for each category.',
      {
        ...optional,
        default: 'default',
      },
    ),
    PARTNERIZE_LEAD_EVENT: leadEvent,
  },

  events: { Purchase: 'sale', Lead: 'lead' },
  user: { custref: plain('customerId', nonEmailId), country: plain('country', countryCode) },
  personId: 'customerId',
  captures: [{ query: 'clickref', cookie: 'clickref' }, { cookie: 'partnerizeClickReference' }],
  clickWindowMs,
  matchKeys: {
    strong: ['captured.clickref', 'captured.partnerizeClickReference', 'custref'],
  },
  dedup: 'conversionref, for each campaign',
  refunds:
    'a conversion takes none; with the API keys of a user it is changed by the id that Partnerize gave it (https://help.phgsupport.com/hc/en-us/articles/4402326380177)',

  request(context, secrets, name) {
    const { event, data, items, orderId, coupon, user, value } = context
    if (name === 'lead' && secrets.PARTNERIZE_LEAD_EVENT !== 'Lead') return { skipped: 'filtered' }
    const clickref = lastClick(context, ['clickref', 'partnerizeClickReference'])?.value
    if (!clickref && !coupon) return { skipped: 'identityMissing' }
    const category = secrets.PARTNERIZE_DEFAULT_CATEGORY
    const priced = wholePieces(items).filter(({ item_price }) => item_price !== undefined)
    const lines = priced.length > 50 ? byCategory(priced) : priced
    const groups =
      name === 'sale' && lines.length > 0
        ? lines.map(itemGroup(category))
        : [itemGroup(category)({ ...(value !== undefined && { item_price: value }) })]
    const conversion = segments({
      tracking_mode: 'api',
      campaign: secrets.PARTNERIZE_CAMPAIGN_ID,
      clickref,
      conversionref: orderId,
      currency: data.currency,
      country: user.country,
      customertype: customerStatus(data, { isNew: 'new', isReturning: 'existing' }),
      voucher: coupon,
      custref: user.custref,
      conversion_time: epochSeconds(event.timestamp),
    })
    return { url: `https://prf.hn/conversion/${conversion}/${groups.join('')}` }
  },
})
