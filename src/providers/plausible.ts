import { provider } from '#provider/form/provider.ts'
import type { RequestContext } from '#provider/form/request.ts'
import { standardEventNames } from '#provider/form/standardEventNames.ts'
import { truncate } from '#provider/form/text.ts'
import { plain } from '#provider/form/userRule.ts'
import { baseUrl, identifier, optional, text, urlCheck } from '#provider/form/variables.ts'
import { textProperties, withScheme } from '#provider/vendors/analytics.ts'

/** At most 30 properties, with names of 300 and values of 2,000 characters. The currency is that of the revenue. */
function propsOf(context: RequestContext): object | undefined {
  const { currency: _, content_ids: item_ids, ...own } = textProperties(context)
  const props = Object.entries({ ...own, ...(item_ids && { item_ids }) }).filter(([name]) => name.length <= 300)
  return props.length > 0
    ? Object.fromEntries(props.slice(-30).map(([name, value]) => [name, truncate(value, 2_000)]))
    : undefined
}

export default provider({
  label: 'Plausible',
  stage: 'beta',
  consent: ['analytics', 'advertising', 'functional'],
  docs: 'https://plausible.io/docs/events-api',
  dashboardUrl: 'https://plausible.io/sites',
  links: {
    onboarding: 'https://plausible.io/docs/add-website',
    introduction: 'https://plausible.io/docs/ecommerce-revenue-tracking',
    faq: 'https://plausible.io/docs/troubleshoot-integration',
  },
  host: 'tenant',

  secrets: {
    PLAUSIBLE_DOMAIN: identifier('Domain', 'Site settings, General: the domain of the site as Plausible shows it.', {
      placeholder: 'shop.example',
      check: (domain: string) => (/^[^\s/]+(\/\S*)?$/.test(domain) ? undefined : 'Write the domain: shop.example.'),
    }),
    PLAUSIBLE_HOST: text('Host', 'The address of Plausible where you host it yourself.', {
      ...optional,
      default: 'https://plausible.io',
      check: (address: string) => urlCheck(withScheme(address)),
    }),
  },

  events: { ...standardEventNames, PageView: 'pageview' },
  customEventName: (eventName) => truncate(eventName, 120),
  // Plausible recognises a visitor by both, and drops events that seem to come from a server.
  user: { ip: plain('ip'), userAgent: plain('userAgent') },
  personId: 'none',
  requires: [['ip', 'userAgent']],
  matchKeys: {
    weak: ['ip', 'userAgent'],
  },
  dedup: 'none; the time of an event is that of its receipt',

  request(context, { PLAUSIBLE_DOMAIN: domain, PLAUSIBLE_HOST: host }, name) {
    const { event, data, user, value } = context
    if (!event.pageUrl) return { skipped: 'identityMissing' }
    const revenue = value !== undefined && data.currency ? { currency: data.currency, amount: value } : undefined
    return {
      url: `${baseUrl(withScheme(host))}/api/event`,
      headers: { 'user-agent': user.userAgent, 'x-forwarded-for': user.ip },
      json: {
        name,
        domain,
        url: truncate(event.pageUrl, 2_000),
        referrer: truncate(event.referrer, 2_000),
        revenue: name === 'pageview' ? undefined : revenue,
        props: propsOf(context),
      },
    }
  },

  responseRules: [
    // Plausible also responds with 202 to events that it drops: from a bot, a server or an unknown site.
    { header: 'x-plausible-dropped', matches: /^[1-9]/, verdict: 'refused' },
  ],
})
