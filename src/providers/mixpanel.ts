import { basicAuth } from '#provider/form/authorization.ts'
import type { PartialFailure } from '#provider/form/batch.ts'
import { toUuid } from '#provider/form/ids.ts'
import { provider } from '#provider/form/provider.ts'
import { region, regionHost } from '#provider/form/region.ts'
import type { CapturedValues, RequestContext, RequestSpec } from '#provider/form/request.ts'
import { standardEventNames } from '#provider/form/standardEventNames.ts'
import { pageQuery } from '#provider/form/url.ts'
import { plain } from '#provider/form/userRule.ts'
import { noSpaces } from '#provider/form/valueChecks.ts'
import { optional, password, text } from '#provider/form/variables.ts'
import { analyticsProperties, jsonCookie, personId, personIdOf, within } from '#provider/vendors/analytics.ts'

const hosts = { US: 'api.mixpanel.com', EU: 'api-eu.mixpanel.com', IN: 'api-in.mixpanel.com' }

export default provider({
  label: 'Mixpanel',
  stage: 'beta',
  consent: ['analytics', 'advertising', 'functional'],
  docs: 'https://docs.mixpanel.com/reference/import-events',
  dashboardUrl: 'https://mixpanel.com',
  links: {
    onboarding: 'https://docs.mixpanel.com/reference/project-token',
    introduction: 'https://docs.mixpanel.com/reference/ingestion-api',
    faq: 'https://docs.mixpanel.com/troubleshooting/errors/400-bad-request',
  },
  host: 'fixed',

  secrets: {
    MIXPANEL_PROJECT_TOKEN: password('Project token', 'Settings, Project settings, Access keys: Project Token.', {
      placeholder: '0123456789abcdef0123456789abcdef',
      check: noSpaces,
    }),
    MIXPANEL_REGION: region(
      hosts,
      'Settings, Project settings, Overview: Data residency. With another one no event appears.',
    ),
    MIXPANEL_PROJECT_ID: text('Project ID', 'Project settings, Overview: only with a service account.', {
      ...optional,
      placeholder: '1234567',
      check: (id: string) => (/^\d{1,20}$/.test(id) ? undefined : 'Write only the number, in digits.'),
    }),
    MIXPANEL_SERVICE_ACCOUNT: password(
      'Service account',
      'Organization settings, Service accounts: user:secret. With the project ID it is used in place of the token.',
      {
        ...optional,
        placeholder: 'shop.1a2b3c.mp-service-account:secret',
        helpLink: 'https://docs.mixpanel.com/reference/service-accounts',
        check: (account: string) => (/^[^:\s]+:\S+$/.test(account) ? undefined : 'Write user:secret.'),
      },
    ),
  },

  events: standardEventNames,
  customEventName: (eventName) => eventName,
  user: {
    $user_id: plain('customerId', personIdOf(255)),
    $device_id: plain('anonymousId', personIdOf(255)),
    ip: plain('ip'),
    userAgent: plain('userAgent'),
  },
  personId: 'customerId',
  requires: ['$user_id', '$device_id', 'captured.mp_*_mixpanel'],
  captures: [{ cookie: 'mp_*_mixpanel' }],
  matchKeys: {
    strong: ['$user_id', 'captured.mp_*_mixpanel'],
    medium: ['$device_id'],
  },
  dedup: 'properties.$insert_id, with the same name, time and distinct_id',

  request(context, secrets, name) {
    const { event, user } = context
    const { MIXPANEL_PROJECT_TOKEN: token, MIXPANEL_SERVICE_ACCOUNT: account, MIXPANEL_PROJECT_ID: projectId } = secrets
    const browser = browserOf(context.captured, token)
    const deviceId = browser.deviceId ?? user.$device_id
    // https://docs.mixpanel.com/docs/tracking-methods/id-management/identifying-users-simplified
    const distinct_id = user.$user_id ?? browser.distinctId ?? (deviceId && `$device:${deviceId}`)
    if (!distinct_id) return { skipped: 'identityMissing' }
    const [accountName = '', accountSecret] = account && projectId ? account.split(/:(.*)/s, 2) : [token]
    const row = {
      ...propertiesOf(context),
      ...campaignOf(event),
      ...clientOf(user.userAgent),
      time: event.timestamp,
      distinct_id,
      $insert_id: insertId(event.eventId),
      $user_id: user.$user_id,
      $device_id: deviceId,
      // Without an IP address, Mixpanel would locate the visitor by our server's address.
      ip: user.ip ?? '0',
      $current_url: event.pageUrl,
      $referrer: event.referrer,
      current_page_title: event.pageTitle,
    }
    return {
      url: `https://${regionHost(hosts, secrets.MIXPANEL_REGION)}/import`,
      query: { strict: 1, project_id: accountSecret === undefined ? undefined : projectId },
      headers: { authorization: basicAuth(accountName, accountSecret), accept: 'application/json' },
      json: [{ event: name, properties: row }],
    }
  },
  batch: {
    maxEvents: 2_000,
    maxBytes: 9_500_000,
    join: (requests: readonly RequestSpec[]) => ({
      ...requests[0]!,
      json: requests.flatMap(({ json }) => json as object[]),
    }),
    partialFailures: failedRows,
  },
})

/** The cookie of the browser SDK: percent-encoded JSON (according to public implementations, not documented). */
function browserOf(captured: CapturedValues, token: string) {
  const cookie = jsonCookie(captured, `mp_${token}_mixpanel`)
  return { distinctId: personId(cookie.distinct_id), deviceId: personId(cookie.$device_id) }
}

/** Mixpanel accepts at most 36 letters, digits and dashes. Any other id is replaced by the UUID derived from it. */
const insertId = (eventId: string): string =>
  (/^[A-Za-z0-9-]{1,36}$/.test(eventId) ? personId(eventId) : undefined) ?? toUuid(eventId)

/** Mixpanel accepts fewer than 255 members per event, list and object, and three levels of nesting. */
const propertiesOf = (context: RequestContext): object =>
  within(analyticsProperties(context), { text: 8_000, list: 254, members: 200, levels: 4 }) as object

type Answer = { failed_records?: { index: number; message?: string }[]; num_records_imported?: number }

/** Mixpanel stores the events of a 400 that the response does not list. */
function failedRows(answer: unknown): PartialFailure[] {
  const { failed_records: failed = [], num_records_imported: kept = 0 } = answer as Answer
  return kept === 0 ? [] : failed.map(({ index, message }) => ({ row: index, verdict: 'refused', message }))
}

/** The page's campaign parameters. Mixpanel derives neither the campaign nor the browser from an imported event. */
function campaignOf(event: RequestContext['event']) {
  const { utm_source, utm_medium, utm_campaign, utm_term, utm_content } = pageQuery(event)
  return { utm_source, utm_medium, utm_campaign, utm_term, utm_content }
}

/** The names that Mixpanel's SDK uses. The first match wins: nearly every user agent also contains Chrome and Safari. */
const browsers: readonly (readonly [string, RegExp])[] = [
  ['Microsoft Edge', /\bEdg(?:e|A|iOS)?\/(\d{1,4}(?:\.\d{1,4})?)/],
  ['Opera', /\bOPR\/(\d{1,4}(?:\.\d{1,4})?)/],
  ['Samsung Internet', /\bSamsungBrowser\/(\d{1,4}(?:\.\d{1,4})?)/],
  ['Chrome iOS', /\bCriOS\/(\d{1,4}(?:\.\d{1,4})?)/],
  ['Firefox iOS', /\bFxiOS\/(\d{1,4}(?:\.\d{1,4})?)/],
  ['Firefox', /\bFirefox\/(\d{1,4}(?:\.\d{1,4})?)/],
  ['Chrome', /\bChrome\/(\d{1,4}(?:\.\d{1,4})?)/],
  ['Mobile Safari', /\bVersion\/(\d{1,4}(?:\.\d{1,4})?) Mobile/],
  ['Safari', /\bVersion\/(\d{1,4}(?:\.\d{1,4})?) Safari/],
]
const systems: readonly (readonly [string, RegExp])[] = [
  ['iOS', /\b(iPhone|iPad)\b/],
  ['Android', /\b(Android)\b/],
  ['Windows', /\bWindows\b/],
  ['Chrome OS', /\bCrOS\b/],
  ['Mac OS X', /\bMac OS X\b/],
  ['Linux', /\bLinux\b/],
]
const firstMatch = (list: typeof browsers, text: string) => {
  const [name, pattern] = list.find((each) => each[1].test(text)) ?? []
  return { name, part: pattern?.exec(text)?.[1] }
}

function clientOf(userAgent = '') {
  const browser = firstMatch(browsers, userAgent)
  const system = firstMatch(systems, userAgent)
  const $browser_version = browser.part && Number(browser.part)
  return { $browser: browser.name, $browser_version, $os: system.name, $device: system.part }
}
