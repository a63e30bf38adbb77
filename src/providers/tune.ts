import { provider } from '#provider/form/provider.ts'
import { digitsCheck } from '#provider/form/valueChecks.ts'
import { eventMapping, identifier, optional, password, text } from '#provider/form/variables.ts'
import { clickWindowMs, lastClick } from '#provider/vendors/affiliate.ts'

const hostName = /^[a-z0-9-]{1,63}(\.[a-z0-9-]{1,63}){0,9}$/i

const networkCheck = (network: string) =>
  hostName.test(network) ? undefined : 'Write the label, or the host name alone: tracking.example.com.'

// A postback has no currency: TUNE reads the amount in the offer's currency.
export default provider({
  label: 'TUNE (HasOffers)',
  stage: 'beta',
  consent: ['advertising', 'functional'],
  docs: 'https://support.tune.com/hc/en-us/articles/4413247665431-Receiving-Conversions-via-Postback-URL',
  links: {
    onboarding: 'https://support.tune.com/hc/en-us/articles/4413247716631-Passing-a-Postback-ID-to-an-Advertiser',
  },
  host: 'tenant',

  secrets: {
    TUNE_NETWORK_ID: identifier(
      'Network ID',
      'Of the postback URL of an offer: the part before .go2cloud.org, or the whole host where it is another one.',
      { placeholder: 'demo', check: networkCheck },
    ),
    TUNE_OFFER_ID: text('Offer ID', 'The value of offer_id in the postback URL of the offer.', {
      ...optional,
      check: digitsCheck,
    }),
    TUNE_SECURITY_TOKEN: password(
      'Security token',
      'The advertiser, Security Token: only where the offer requires one.',
      {
        ...optional,
        whyInUrl: 'The postback is one GET address.',
      },
    ),
    TUNE_MAPPED_EVENTS: eventMapping(
      'the goal id of the offer; an empty id is the base conversion. Without it Purchase is the base conversion',
      '7',
      optional,
    ),
  },

  events: { Purchase: '' },
  eventMapping: 'TUNE_MAPPED_EVENTS',
  user: {},
  personId: 'none',
  requires: ['captured.transaction_id', 'captured.tune_transaction_id', 'captured.tid', 'captured.aff_sub'],
  captures: [{ query: 'transaction_id', cookie: 'tune_transaction_id' }, { query: 'tid' }, { query: 'aff_sub' }],
  clickWindowMs,
  matchKeys: {
    strong: ['captured.transaction_id', 'captured.tune_transaction_id', 'captured.tid', 'captured.aff_sub'],
  },
  dedup: 'conversion_unique_id, and transaction_id with the goal',
  refunds:
    'a postback takes none; with the token of the network a click or its conversion is changed, not an order (https://developers.tune.com/network/conversion-update)',

  request(context, secrets, goalId) {
    const { event, data, orderId, coupon, value } = context
    const click = lastClick(context, ['transaction_id', 'tune_transaction_id', 'tid', 'aff_sub'])
    if (!click) return { skipped: 'identityMissing' }
    return {
      url: `https://${trackingHost(secrets.TUNE_NETWORK_ID)}/aff_lsr`,
      query: {
        transaction_id: click.value,
        offer_id: secrets.TUNE_OFFER_ID,
        goal_id: goalId || undefined,
        amount: value,
        adv_sub: data.orderId,
        adv_unique1: event.eventId,
        promo_code: coupon,
        conversion_unique_id: orderId,
        security_token: secrets.TUNE_SECURITY_TOKEN,
      },
    }
  },

  // TUNE always responds with 200. The text shows the result of the conversion.
  responseRules: [
    { status: 200, matches: /success=true/, verdict: 'delivered' },
    { status: 200, matches: /duplicate conversion/i, verdict: 'delivered' },
    { status: 200, matches: /security token/i, verdict: 'keyRejected' },
    { status: 200, verdict: 'refused' },
  ],
})

/** A network has a host below go2cloud.org, or its own. */
const trackingHost = (network: string) => (network.includes('.') ? network : `${network}.go2cloud.org`)
