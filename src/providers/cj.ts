import { numberedFields, orderLines } from '#provider/form/items.ts'
import { provider } from '#provider/form/provider.ts'
import { isoTime } from '#provider/form/time.ts'
import { eventMapping, identifier, text } from '#provider/form/variables.ts'
import { clickWindowMs, customerStatus, lastClick } from '#provider/vendors/affiliate.ts'

export default provider({
  label: 'CJ Affiliate',
  stage: 'beta',
  consent: ['advertising', 'functional'],
  docs: 'https://docs.cj.com/docs/s2s',
  dashboardUrl: 'https://members.cj.com',
  links: { onboarding: 'https://docs.cj.com/docs/s2s-implementation' },
  host: 'fixed',

  secrets: {
    CJ_ENTERPRISE_ID: identifier('Enterprise ID (CID)', 'The number of your company at CJ: Account, Administration.'),
    CJ_ACTION_ID: text('Action tracker ID (TYPE)', 'The action that counts your sales: Account, Tracking, Actions.'),
    CJ_MAPPED_EVENTS: eventMapping('the action tracker id it counts as, beside Purchase', '400001', { optional: true }),
    CJ_SIGNATURE: text('Signature', 'Only if CJ gave you one for server-to-server tracking. It is sent unchanged.', {
      optional: true,
      sensitive: true,
      whyInUrl: 'CJ accepts all fields only in the query of the URL.',
    }),
  },

  events: { Purchase: 'Purchase' },
  eventMapping: 'CJ_MAPPED_EVENTS',
  user: {},
  personId: 'none',
  // CJ credits no partner without a click id. Both spellings of the parameter are in use.
  requires: ['captured.cjevent', 'captured.CJEVENT', 'captured.cje'],
  captures: [{ query: 'cjevent', cookie: 'cje' }, { query: 'CJEVENT' }],
  clickWindowMs,
  matchKeys: {
    strong: ['captured.cjevent', 'captured.cje', 'captured.CJEVENT'],
  },
  dedup: 'OID, the order id: CJ removes duplicates across all its integrations',
  refunds:
    'the Tracking API cancels whole orders for a token of a person; a refund does not say whether it is all of an order (https://developers.cj.com/docs/advertiser-api-tracking/api-overview)',

  request(context, secrets, name) {
    const { event, data, items, orderId, coupon, value } = context
    const click = lastClick(context, ['cjevent', 'CJEVENT', 'cje'])
    if (!click) return { skipped: 'identityMissing' }
    // CJ rejects negative amounts without reporting it.
    if (value !== undefined && value < 0) return { skipped: 'payloadRefused' }
    return {
      url: 'https://www.emjcd.com/u',
      query: {
        CID: secrets.CJ_ENTERPRISE_ID,
        TYPE: name === 'Purchase' ? secrets.CJ_ACTION_ID : name,
        METHOD: 'S2S',
        SIGNATURE: secrets.CJ_SIGNATURE,
        CJEVENT: click.value,
        EVENTTIME: isoTime(event.timestamp),
        OID: orderId,
        CURRENCY: data.currency,
        COUPON: coupon,
        DISCOUNT: data.discount,
        // CJ accepts items or a total amount, not both
        ...(numberedFields(orderLines(items) ?? [], ({ id, item_price, quantity }) => {
          return { ITEM: id, AMT: item_price, QTY: quantity }
        }) ?? { AMOUNT: value }),
        CUST_STATUS: customerStatus(data, { isNew: 'New', isReturning: 'Return' }),
      },
    }
  },
})
