import { appIds } from '#provider/form/appIds.ts'
import { bearerAuth } from '#provider/form/authorization.ts'
import { ipv4Address, nonEmailId } from '#provider/form/normalise.ts'
import { provider } from '#provider/form/provider.ts'
import { epochSeconds } from '#provider/form/time.ts'
import { plain } from '#provider/form/userRule.ts'
import { choice, eventMapping, idCheck, identifier, optional, password } from '#provider/form/variables.ts'
import { revenueOf } from '#provider/vendors/attribution.ts'

const deviceIds = ['web_uuid', 'idfa', 'idfv', 'gps_adid', 'android_id', 'fire_adid', 'oaid', 'adid'] as const

/** Parameters for callbacks and partners: a JSON object of texts. Undefined if it is empty. */
function textsOf(members: Readonly<Record<string, string | undefined>>): string | undefined {
  const texts = JSON.stringify(members)
  return texts === '{}' ? undefined : texts
}

export default provider({
  label: 'Adjust',
  stage: 'beta',
  consent: ['advertising', 'analytics', 'functional'],
  gvlId: 597,
  docs: 'https://dev.adjust.com/en/api/s2s-api/events',
  dashboardUrl: 'https://suite.adjust.com',
  links: {
    onboarding: 'https://dev.adjust.com/en/api/s2s-api/security',
    introduction: 'https://dev.adjust.com/en/api/s2s-api',
  },
  isApp: true,
  appPlatforms: ['android', 'ios'],
  host: 'fixed',

  secrets: {
    ADJUST_APP_TOKEN: identifier('App token', 'AppView, All apps, your app: the 12 characters below its name.', {
      placeholder: '2fm9gkqubvpc',
      check: idCheck,
    }),
    ADJUST_EVENT_TOKENS: eventMapping('the event token: AppView, All apps, your app, Events', 'g3mfiw'),
    ADJUST_S2S_TOKEN: password(
      'S2S security token',
      'AppView, your app, Protection, S2S security: where authentication is on.',
      optional,
    ),
    ADJUST_ENVIRONMENT: choice('Environment', 'The environment of Adjust that counts the events.', [
      'production',
      'sandbox',
    ]),
  },

  events: {},
  eventMapping: 'ADJUST_EVENT_TOKENS',
  user: {
    user_id: plain('customerId', nonEmailId),
    ip_address: plain('ip', ipv4Address),
    user_agent: plain('userAgent'),
  },
  personId: 'customerId',
  requires: deviceIds.map((id) => `app.${id}` as const),
  captures: [{ cookie: 'web_uuid' }],
  maxAgeMs: 58 * 86_400_000,
  matchKeys: {
    strong: [
      'user_id',
      'captured.web_uuid',
      'app.web_uuid',
      'app.idfa',
      'app.idfv',
      'app.gps_adid',
      'app.android_id',
      'app.fire_adid',
      'app.oaid',
      'app.adid',
    ],
    weak: ['ip_address', 'user_agent'],
  },
  dedup: 'none by id; an event that is set to unique counts once for each device',

  // Adjust rejects an event that is older than the previous one with the same device and token.
  request(context, secrets, event_token) {
    const { event, data, items } = context
    const { user_id, ip_address, user_agent } = context.user
    const ids = appIds(context, deviceIds)
    const { revenue, currency } = revenueOf(context)
    const isCounted = revenue !== undefined && revenue >= 0.001
    const content_ids = items.flatMap(({ id, sku }) => id ?? sku ?? []).join(',') || undefined
    const token = secrets.ADJUST_S2S_TOKEN
    return {
      url: 'https://s2s.adjust.com/event',
      headers: { authorization: token && bearerAuth(token) },
      form: {
        s2s: '1',
        app_token: secrets.ADJUST_APP_TOKEN,
        event_token,
        ...ids,
        created_at_unix: epochSeconds(event.timestamp),
        ...(isCounted && { revenue, currency }),
        ip_address,
        user_agent,
        environment: secrets.ADJUST_ENVIRONMENT,
        callback_params: textsOf({ event_id: event.eventId, order_id: data.orderId, user_id, content_ids }),
        partner_params: textsOf({ order_id: data.orderId, content_ids }),
      },
    }
  },
  toTestMode: (request) => ({ ...request, form: { ...request.form, environment: 'sandbox' } }),

  // The token is missing or wrong.
  responseRules: [{ status: 202, verdict: 'keyRejected' }],
})
