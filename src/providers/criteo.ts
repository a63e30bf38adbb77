import { hash } from 'node:crypto'
import { itemsWithId, mapItems, wholePieces } from '#provider/form/items.ts'
import { emailAddress } from '#provider/form/normalise.ts'
import { unlessEmpty } from '#provider/form/optionalValues.ts'
import { provider } from '#provider/form/provider.ts'
import { region, regionHost } from '#provider/form/region.ts'
import type { RequestContext } from '#provider/form/request.ts'
import { isoTime } from '#provider/form/time.ts'
import { hashed, plain } from '#provider/form/userRule.ts'
import { digitsCheck } from '#provider/form/valueChecks.ts'
import { checkbox, identifier, optional, text } from '#provider/form/variables.ts'

/** Criteo may redirect an account to its regional host. Redirects are not followed, so the customer then chooses the host. */
const hosts = {
  default: 'widget.criteo.com',
  eu: 'widget.eu.criteo.com',
  us: 'widget.us.criteo.com',
  as: 'widget.as.criteo.com',
} as const

/** An optional variable for a two-letter code. */
const twoLetters = (label: string, description: string, placeholder: string) =>
  text(label, description, {
    ...optional,
    placeholder,
    check: (code: string) => (/^[A-Za-z]{2}$/.test(code) ? undefined : 'Write two letters.'),
  })

// The value of an order is the total of its items. Criteo has no refunds.
export default provider({
  label: 'Criteo',
  stage: 'beta',
  consent: ['advertising', 'functional'],
  gvlId: 91,
  docs: 'https://guides.criteotilt.com/events-api/',
  dashboardUrl: 'https://marketing.criteo.com/',
  links: {
    onboarding: 'https://guides.criteotilt.com/onetag/s2s/',
    introduction: 'https://doc.commandersact.com/features/destinations/destinations-catalog/criteo/criteo-events',
  },
  hidePurchaseValueMode: true,
  host: 'fixed',
  hasBrowserModule: true,

  secrets: {
    CRITEO_PARTNER_ID: identifier('Partner ID', 'The number of your account: Account settings, or the OneTag code.', {
      placeholder: '12345',
      check: digitsCheck,
    }),
    CRITEO_CALLER_ID: identifier(
      'Caller ID',
      'Criteo gives it for the matching of the cookie crto_mapped_user_id. Without it people are matched by e-mail alone.',
      { ...optional, placeholder: '1234', check: digitsCheck },
    ),
    CRITEO_BROWSER_ID: checkbox(
      'Visitor id in the page',
      'The page asks Criteo for its id of the visitor, which the events then hold. It needs the caller id.',
      { ...optional, usedBy: 'browser' },
    ),
    CRITEO_COUNTRY: twoLetters('Country', 'The country of the shop, in two letters.', 'DE'),
    CRITEO_LANGUAGE: twoLetters('Language', 'The language of the shop, in two letters.', 'de'),
    CRITEO_REGION: region(
      hosts,
      'Keep the default, unless events are refused with HTTP 307: then Criteo names the host.',
    ),
  },

  events: {
    PageView: 'viewPage',
    ViewContent: 'viewItem',
    AddToCart: 'addToCart',
    InitiateCheckout: 'beginCheckout',
    AddPaymentInfo: 'addPaymentInfo',
    Purchase: 'trackTransaction',
    Search: 'viewList',
    Login: 'login',
    ViewCart: 'viewBasket',
    ViewItemList: 'viewList',
  },
  user: {
    md5: hashed('email', emailAddress, 'md5'),
    sha256: hashed('email'),
    retailer_visitor_id: plain('anonymousId'),
    ip: plain('ip'),
    useragent: plain('userAgent'),
  },
  personId: 'anonymousId',
  requires: ['md5', 'sha256', 'captured.crto_mapped_user_id'],
  captures: [{ cookie: 'crto_mapped_user_id' }, { cookie: 'crto_is_user_optout' }],
  maxAgeMs: 15 * 60_000,
  matchKeys: {
    strong: ['md5', 'sha256', 'captured.crto_mapped_user_id'],
    weak: ['retailer_visitor_id', 'ip', 'useragent'],
  },
  dedup: 'events[].id of an order; events[].deduplication_page_view_id of a page view',

  request(context, secrets, name) {
    const { event, captured } = context
    const { md5, sha256, ...visitor } = context.user
    // https://github.com/criteo/gtm-criteo-useridentification: the person opted out at Criteo.
    if (captured.crto_is_user_optout?.value === 'true') return { skipped: 'consent' }
    const { CRITEO_CALLER_ID: mapping_key } = secrets
    const mapped_user_id = captured.crto_mapped_user_id?.value
    const isMapped = mapping_key && mapped_user_id
    if (!isMapped && !md5 && !sha256) return { skipped: 'identityMissing' }
    return {
      url: `https://${regionHost(hosts, secrets.CRITEO_REGION)}/m/event`,
      query: { version: 's2s_v0' },
      json: {
        account: secrets.CRITEO_PARTNER_ID,
        version: 's2s_v1.0.0',
        site_type: siteType(visitor.useragent),
        id: { ...(isMapped && { mapping_key, mapped_user_id }), email: unlessEmpty(emailDigests({ md5, sha256 })) },
        full_url: event.pageUrl,
        previous_url: event.referrer,
        ...visitor,
        country: secrets.CRITEO_COUNTRY,
        language: secrets.CRITEO_LANGUAGE,
        events: [eventOf(name, context)],
      },
    }
  },

  // The status is 200 even for a rejected event.
  responseRules: [{ status: 200, path: 'errors.0', verdict: 'refused' }],
})

type Happened = Pick<RequestContext, 'event' | 'data' | 'items' | 'orderId'>

/** One member of `events`. */
const eventOf = (name: string, { event, data, items, orderId }: Happened) => ({
  event: name,
  id: name === 'trackTransaction' ? orderId : undefined,
  timestamp: isoTime(event.timestamp),
  currency: data.currency,
  // The value of an order is the sum of price times quantity.
  item: mapItems(wholePieces(itemsWithId(items)), ({ id, item_price: price, quantity }) => ({ id, price, quantity })),
  deduplication_page_view_id: name === 'viewPage' ? event.eventId : undefined,
})

/** Criteo's three digests of an e-mail address; `sha256_md5` is the SHA-256 of the MD5 in hex. */
const emailDigests = ({ md5, sha256 }: { md5: string | undefined; sha256: string | undefined }) => ({
  md5,
  sha256,
  sha256_md5: md5 && hash('sha256', md5),
})

/** `t` for a tablet, `m` for a phone, `d` for everything else. */
function siteType(userAgent = ''): 'd' | 'm' | 't' {
  const has = (word: string) => userAgent.includes(word)
  if (has('iPad') || has('Tablet') || (has('Android') && !has('Mobile'))) return 't'
  return has('Mobi') || has('iPhone') ? 'm' : 'd'
}
