import { eventMappingCheck } from '#provider/form/eventMapping.ts'
import { provider } from '#provider/form/provider.ts'
import { standardEventNames } from '#provider/form/standardEventNames.ts'
import { plain } from '#provider/form/userRule.ts'
import { baseUrl, identifier, optional, text, urlCheck } from '#provider/form/variables.ts'
import { withScheme } from '#provider/vendors/analytics.ts'
import { derivedVisitorId, hitQuery } from '#provider/vendors/matomo.ts'
import { hitOf } from './schemas/piwikPro.ts'

export default provider({
  label: 'Piwik PRO',
  stage: 'beta',
  consent: ['analytics', 'advertising', 'functional'],
  docs: 'https://developers.piwik.pro/en/latest/data_collection/api/http_api.html',
  links: {
    onboarding: 'https://help.piwik.pro/support/getting-started/',
    introduction: 'https://developers.piwik.pro/en/latest/data_collection/index.html',
    faq: 'https://help.piwik.pro/support/',
  },
  host: 'tenant',

  secrets: {
    PIWIK_PRO_URL: text('Address', 'The address at which you open Piwik PRO, or your own domain for it.', {
      placeholder: 'https://name.piwik.pro',
      check: (address: string) => urlCheck(withScheme(address)),
    }),
    PIWIK_PRO_APP_ID: identifier('App ID', 'Menu, Administration, Sites & apps, your app: below its name.', {
      placeholder: '892d04bd-6e2b-4914-bfb4-bac721b37235',
      check: (id: string) => (/^[\w-]{1,64}$/.test(id) ? undefined : 'Write the ID of the app alone.'),
    }),
    PIWIK_PRO_GOALS: text('Goals', 'Pairs of an event name and the ID of a goal, which is converted in its place.', {
      ...optional,
      placeholder: '[["Lead", "0d2b4f3a-6e2b-4914-bfb4-bac721b37235"]]',
      check: eventMappingCheck,
    }),
  },

  events: standardEventNames,
  customEventName: (eventName) => eventName,
  user: { _id: plain('userId', derivedVisitorId), uid: plain('userId'), ua: plain('userAgent'), cip: plain('ip') },
  captures: [{ cookie: '_pk_id.*' }],
  // without authentication the time of a hit may lie 24 hours back: https://developers.piwik.pro/en/latest/data_collection/api/http_api.html
  maxAgeMs: 86_400_000,
  dedup: 'ec_id, for orders; other events have none',

  request(context, { PIWIK_PRO_URL: url, PIWIK_PRO_APP_ID: idsite, PIWIK_PRO_GOALS: goals }, name) {
    const { uid, ua, cip } = context.user
    const hit = { idsite, rec: '1', ...hitOf(context, name, idsite, goals), uid, ua, cip }
    return {
      url: `${baseUrl(withScheme(url))}/ppms.php`,
      headers: { 'user-agent': ua },
      json: { requests: [hitQuery(hit)] },
    }
  },
  // 50 is our own limit: Piwik PRO states none. Each hit also holds the user agent of its visitor
  batch: { listPath: 'requests', maxEvents: 50, singleEventHeaders: ['user-agent'] },
})
