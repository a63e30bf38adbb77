import { basicAuth } from '#provider/form/authorization.ts'
import { numberedFields, orderLines } from '#provider/form/items.ts'
import { countryCode, emailAddress, nonEmailId } from '#provider/form/normalise.ts'
import { provider } from '#provider/form/provider.ts'
import { isoTime } from '#provider/form/time.ts'
import { hashed, plain } from '#provider/form/userRule.ts'
import { eventMapping, identifier, password, text } from '#provider/form/variables.ts'
import { clickWindowMs, lastClick } from '#provider/vendors/affiliate.ts'

export default provider({
  label: 'Impact',
  stage: 'beta',
  consent: ['advertising', 'functional'],
  gvlId: 721,
  docs: 'https://integrations.impact.com/impact-brand/reference/the-conversions-api',
  dashboardUrl: 'https://app.impact.com',
  links: {
    onboarding:
      'https://help.impact.com/en/support/solutions/articles/155000000004-api-access-for-platform-rest-web-services',
  },
  host: 'fixed',

  secrets: {
    IMPACT_CAMPAIGN_ID: identifier('Program ID', 'The number of your program: Settings, Tracking, General.', {
      placeholder: '10306',
    }),
    IMPACT_ACCOUNT_SID: text(
      'Account SID',
      'Settings, Technical, API: of an access token that may write conversions.',
      {
        placeholder: 'IRxxxxxxxxxxxxxxxxxxxxxxxx',
      },
    ),
    IMPACT_ACCESS_TOKEN: password('Auth token', 'Settings, Technical, API: beside the Account SID.'),
    IMPACT_CONVERSIONS: eventMapping('the id of an event type: Settings, Tracking, Event types', '19845', {
      placeholder: '[{"event": "Purchase", "id": "19845"}]',
    }),
  },

  events: {},
  eventMapping: 'IMPACT_CONVERSIONS',
  user: {
    CustomerId: plain('customerId', nonEmailId),
    CustomerEmail: hashed('email', emailAddress, 'sha1'),
    CustomerCity: plain('city'),
    CustomerRegion: plain('state'),
    CustomerPostCode: plain('zip'),
    CustomerCountry: plain('country', countryCode),
    IpAddress: plain('ip'),
    UserAgent: plain('userAgent'),
  },
  personId: 'customerId',
  captures: [{ query: 'im_ref', cookie: 'impact_cid' }, { query: 'irclickid' }],
  clickWindowMs,
  matchKeys: {
    strong: ['captured.im_ref', 'captured.impact_cid', 'captured.irclickid', 'CustomerEmail', 'CustomerId'],
    weak: ['CustomerCity', 'CustomerRegion', 'CustomerPostCode', 'CustomerCountry', 'IpAddress', 'UserAgent'],
  },
  dedup: 'OrderId, with the event type',
  refunds: "the address takes no negative amounts, and a reversal names Impact's own id of the action",

  request(context, secrets, id) {
    const { event, data, items, orderId, coupon, user, value } = context
    const ClickId = lastClick(context, ['im_ref', 'irclickid', 'impact_cid'])?.value
    // A promo code credits a partner just as a click does.
    if (!ClickId && !user.CustomerId && !coupon) return { skipped: 'identityMissing' }
    // Impact has a separate call for reversals.
    if (value !== undefined && value < 0) return { skipped: 'payloadRefused' }
    return {
      url: `https://api.impact.com/Advertisers/${encodeURIComponent(secrets.IMPACT_ACCOUNT_SID)}/Conversions`,
      headers: {
        accept: 'application/json',
        authorization: basicAuth(secrets.IMPACT_ACCOUNT_SID, secrets.IMPACT_ACCESS_TOKEN),
      },
      form: {
        CampaignId: secrets.IMPACT_CAMPAIGN_ID,
        EventTypeId: id,
        EventDate: isoTime(event.timestamp),
        OrderId: orderId,
        ClickId,
        ...user,
        CurrencyCode: data.currency,
        OrderPromoCode: coupon,
        OrderDiscount: data.discount,
        // Impact accepts items or a total amount, not both
        ...(numberedFields(orderLines(items) ?? [], (item) => ({
          ItemSku: item.id,
          ItemName: item.title,
          ItemCategory: item.category,
          ItemBrand: item.brand,
          ItemQuantity: item.quantity,
          ItemPrice: item.item_price,
        })) ?? { OrderSubTotalPostDiscount: value }),
      },
    }
  },

  errorMessage: 'title',
  responseRules: [{ status: 200, path: 'Status', equalsAny: ['ERROR'], verdict: 'refused' }],
})
