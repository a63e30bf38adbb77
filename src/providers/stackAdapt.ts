import { mapItems } from '#provider/form/items.ts'
import { emailAddress, phoneE164 } from '#provider/form/normalise.ts'
import { provider } from '#provider/form/provider.ts'
import { standardEventNames } from '#provider/form/standardEventNames.ts'
import { truncate } from '#provider/form/text.ts'
import { pageQuery } from '#provider/form/url.ts'
import { plain } from '#provider/form/userRule.ts'
import { eventMapping, identifier, optional } from '#provider/form/variables.ts'
import { customExceptRefund } from '#provider/vendors/noRefunds.ts'

/**
 * The maximum length of the URL is not published. A larger purchase is sent with its first products and its full
 * revenue.
 */
const mostProducts = 20

// There is no field for the currency: StackAdapt reads the revenue in the account's currency.
export default provider({
  label: 'StackAdapt',
  stage: 'beta',
  consent: ['advertising', 'functional'],
  gvlId: 238,
  docs: 'https://docs.stackadapt.com',
  dashboardUrl: 'https://platform.stackadapt.com/',
  links: {
    introduction: 'https://docs.tealium.com/server-side-connectors/stackadapt-events-connector/',
    onboarding: 'https://www.twilio.com/docs/segment/connections/destinations/catalog/actions-stackadapt-cloud',
  },
  host: 'fixed',

  secrets: {
    STACK_ADAPT_PIXEL_ID: identifier(
      'Universal pixel ID',
      'Pixels, StackAdapt Pixel, Install: the value of saq in the code of the universal pixel.',
      {
        placeholder: 'sqQHa3Ob1fFi9Xqd2V6s',
        check: (id: string) => (/^[\w-]{5,64}$/.test(id) ? undefined : 'Write the id alone: letters, digits, - and _.'),
      },
    ),
    STACK_ADAPT_MAPPED_EVENTS: {
      ...eventMapping('the action', 'purchase', optional),
      description:
        'Pairs of an event name and the action that a rule of the pixel looks for. An event without a pair is sent with its own name as the action, one with an empty action is not sent.',
    },
  },

  events: standardEventNames,
  customEventName: customExceptRefund(),
  eventMapping: 'STACK_ADAPT_MAPPED_EVENTS',
  // The vendor's own tag sends these values unhashed in the URL. A denied `share_pii` empties all of them.
  user: {
    email: plain('email', emailAddress),
    phone: plain('phone', phoneE164),
    first_name: plain('firstName'),
    last_name: plain('lastName'),
    user_id: plain('anyStableId'),
    ip_fwd: plain('ip'),
    ua_fwd: plain('userAgent'),
  },
  personId: 'anyStableId',
  requires: [['ip_fwd', 'ua_fwd']],
  captures: [{ cookie: 'sa-userid' }],
  matchKeys: {
    strong: ['email', 'phone'],
    medium: ['user_id', 'captured.sa-userid'],
    weak: ['first_name', 'last_name', 'ip_fwd', 'ua_fwd'],
  },
  dedup: 'args.order_id, by the settings of the conversion',

  request({ event, data, items, user: { ip_fwd, ua_fwd, ...person }, value, captured }, secrets, action) {
    if (!action) return { skipped: 'filtered' }
    const { utm_source } = pageQuery(event)
    const args = {
      action,
      revenue: value,
      order_id: data.orderId,
      products: mapItems(items.slice(0, mostProducts), ({ id, title, item_price, quantity = 1, category }) => ({
        product_id: truncate(id, 100),
        product_name: truncate(title, 100),
        product_price: item_price,
        product_quantity: quantity,
        product_category: truncate(category, 100),
      })),
      ...person,
      utm_source,
    }
    return {
      url: 'https://tags.srv.stackadapt.com/saq_pxl',
      headers: { 'x-forwarded-for': ip_fwd, 'user-agent': ua_fwd },
      query: {
        uid: secrets.STACK_ADAPT_PIXEL_ID,
        url: event.pageUrl,
        title: event.pageTitle,
        ref: event.referrer,
        ip_fwd,
        ua_fwd,
        utm_source,
        user_id: captured['sa-userid']?.value,
        event_type: 'track',
        args: JSON.stringify(args),
      },
    }
  },
})
