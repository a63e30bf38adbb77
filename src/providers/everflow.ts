import { nonEmailId } from '#provider/form/normalise.ts'
import { provider } from '#provider/form/provider.ts'
import { epochSeconds } from '#provider/form/time.ts'
import { plain } from '#provider/form/userRule.ts'
import { digitsCheck } from '#provider/form/valueChecks.ts'
import { eventMapping, identifier, optional, password, text, urlCheck } from '#provider/form/variables.ts'
import { clickPair, clickWindowMs, lastClick } from '#provider/vendors/affiliate.ts'

// The postback's e-mail field is omitted: it would be part of the URL, and attribution does not use it.
export default provider({
  label: 'Everflow',
  stage: 'beta',
  consent: ['advertising', 'functional'],
  docs: 'https://helpdesk.everflow.io/customer/accessing-editing-s2s-postback-urls',
  links: { introduction: 'https://developers.everflow.io/sdk/conversion-tracking' },
  host: 'tenant',

  secrets: {
    EVERFLOW_POSTBACK_URL: text(
      'Postback URL',
      'Control Center, Platform Configurations, Postback URL: the address before the question mark.',
      {
        placeholder: 'https://www.your-tracking-domain.com/',
        check: urlCheck,
      },
    ),
    EVERFLOW_NETWORK_ID: identifier(
      'Network ID',
      'Control Center, Platform Configurations: the value of nid in the postback URL.',
      {
        placeholder: '1234',
        check: digitsCheck,
      },
    ),
    EVERFLOW_VERIFICATION_TOKEN: password(
      'Verification token',
      'The advertiser, Edit, Verification Token: only where the offer requires one.',
      {
        ...optional,
        whyInUrl: 'The postback is one GET address.',
      },
    ),
    EVERFLOW_MAPPED_EVENTS: eventMapping(
      'the event id of the offer; an empty id is the base conversion. Without it Purchase is the base conversion',
      '12',
      optional,
    ),
  },

  events: { Purchase: '' },
  eventMapping: 'EVERFLOW_MAPPED_EVENTS',
  user: { user_id: plain('customerId', nonEmailId) },
  personId: 'customerId',
  captures: [{ query: '_ef_transaction_id', cookie: 'ef_transaction_id' }, { query: 'oid' }, { query: 'affid' }],
  clickWindowMs,
  matchKeys: {
    strong: ['captured._ef_transaction_id', 'captured.ef_transaction_id', 'user_id'],
  },
  dedup: 'transaction_id, event_id and order_id, by the duplicate setting of the offer',
  refunds:
    'a postback takes none; with an API key of the network a click loses all its conversions, or a conversion is changed by its own id (https://developers.everflow.io/docs/network/conversion_updates/)',

  request(context, secrets, eventId) {
    const { event, data, coupon, user, value } = context
    const click = lastClick(context, ['_ef_transaction_id', 'ef_transaction_id'])?.value
    const partner = clickPair(context, 'oid', 'affid')
    if (!click && !coupon && !partner) return { skipped: 'identityMissing' }
    return {
      url: secrets.EVERFLOW_POSTBACK_URL,
      query: {
        nid: secrets.EVERFLOW_NETWORK_ID,
        transaction_id: click,
        ...(!click && partner && { oid: partner.first, affid: partner.second }),
        event_id: eventId || undefined,
        amount: value,
        currency: data.currency,
        order_id: data.orderId,
        coupon_code: coupon,
        ...user,
        timestamp: epochSeconds(event.timestamp),
        verification_token: secrets.EVERFLOW_VERIFICATION_TOKEN,
      },
    }
  },
})
