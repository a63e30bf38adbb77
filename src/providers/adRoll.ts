import { mapItems, wholeQuantity } from '#provider/form/items.ts'
import { amountText, decimalsOf } from '#provider/form/money.ts'
import { unlessEmpty } from '#provider/form/optionalValues.ts'
import { provider } from '#provider/form/provider.ts'
import { epochSeconds } from '#provider/form/time.ts'
import { hashed, plain } from '#provider/form/userRule.ts'
import { checkbox, identifier, optional, password } from '#provider/form/variables.ts'

const eidCheck = (id: string) =>
  /^[A-Za-z0-9]{8,40}$/.test(id) ? undefined : 'Write the id alone: about 22 capital letters and digits.'

// AdRoll has no refunds. This API is a beta, which the vendor activates per account.
export default provider({
  label: 'AdRoll',
  stage: 'beta',
  consent: ['advertising', 'functional'],
  gvlId: 130,
  docs: 'https://apidocs.nextroll.com/server-to-server-api/events.html',
  dashboardUrl: 'https://app.adroll.com/',
  links: {
    onboarding: 'https://apidocs.nextroll.com/server-to-server-api/reference.html',
    introduction: 'https://apidocs.nextroll.com/server-to-server-api/overview.html',
  },
  hasActivation: true,
  host: 'fixed',

  secrets: {
    ADROLL_ADVERTISABLE_ID: identifier(
      'Advertisable ID',
      'Analytics, Insights, Website, View Pixel: the value of adroll_adv_id.',
      { placeholder: '6SHGRDIZUBDXLHUG4YHFGC', check: eidCheck },
    ),
    ADROLL_PIXEL_ID: identifier('Pixel ID', 'In the same place: the value of adroll_pix_id.', {
      placeholder: 'XCOW5YUNQFGR5J5VSDITAX',
      check: eidCheck,
    }),
    ADROLL_ACCESS_TOKEN: password('Server access token', 'No page shows it: ask your account manager for it.'),
    ADROLL_TEST_MODE: checkbox('Test mode', 'AdRoll checks and logs all events and counts none.', optional),
  },

  events: {
    PageView: 'pageView',
    ViewContent: 'pageView',
    AddToCart: 'addToCart',
    Purchase: 'purchase',
    Subscribe: 'signupPlan',
    Search: 'productSearch',
    Lead: 'formFill',
    StartTrial: 'signupTrial',
    Contact: 'contactSales',
  },
  user: {
    email_sha256: hashed('email'),
    user_id: plain('anyStableId'),
    ip: plain('ip'),
    user_agent: plain('userAgent'),
  },
  personId: 'anyStableId',
  // An e-mail address alone is not sufficient.
  requires: [
    ['captured.__adroll_fpc', 'ip'],
    ['captured.adct', 'ip'],
    ['captured.adroll_adct', 'ip'],
  ],
  captures: [{ query: 'adct', cookie: 'adroll_adct' }, { cookie: '__adroll_fpc' }],
  matchKeys: {
    strong: ['captured.adct', 'captured.adroll_adct', 'email_sha256'],
    medium: ['user_id', 'captured.__adroll_fpc', 'ip'],
    weak: ['user_agent'],
  },
  dedup: 'event_attributes.order_id',

  request({ event, data, items, user: { ip, user_agent, ...ids }, value, captured }, secrets, event_name) {
    const inCurrency = (amount: number | undefined) => amountText(amount, decimalsOf(data.currency ?? ''))
    const { __adroll_fpc, adct, adroll_adct } = captured
    const advertisable = secrets.ADROLL_ADVERTISABLE_ID
    const row = {
      advertisable_eid: advertisable,
      pixel_eid: secrets.ADROLL_PIXEL_ID,
      event_name,
      event_attributes: unlessEmpty({
        order_id: data.orderId,
        products: mapItems(items, (item) => ({
          product_id: item.id,
          quantity: wholeQuantity(item),
          price: inCurrency(item.item_price),
          category: item.category,
        })),
        keywords: data.search,
      }),
      conversion_value: inCurrency(value),
      currency: data.currency,
      page_location: event.pageUrl,
      timestamp: epochSeconds(event.timestamp),
      ip,
      user_agent,
      identifiers: { first_party_cookie: __adroll_fpc?.value, adct: (adct ?? adroll_adct)?.value, ...ids },
    }
    const query = { advertisable, dry_run: secrets.ADROLL_TEST_MODE === '1' ? 'true' : undefined }
    const headers = { authorization: `Token ${secrets.ADROLL_ACCESS_TOKEN}` }
    return { url: 'https://srv.adroll.com/api', query, headers, json: [row] }
  },
  batch: {
    maxEvents: 100,
    join: (requests) => ({ ...requests[0]!, json: requests.flatMap(({ json }) => json as unknown[]) }),
  },
  toTestMode: (request) => ({ ...request, query: { ...request.query, dry_run: 'true' } }),
})
