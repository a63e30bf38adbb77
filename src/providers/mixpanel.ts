import { basicAuth } from '#provider/form/authorization.ts'
import { provider } from '#provider/form/provider.ts'
import { region, regionHost } from '#provider/form/region.ts'
import type { RequestSpec } from '#provider/form/request.ts'
import { standardEventNames } from '#provider/form/standardEventNames.ts'
import { plain } from '#provider/form/userRule.ts'
import { noSpaces } from '#provider/form/valueChecks.ts'
import { optional, password, text } from '#provider/form/variables.ts'
import { personIdOf } from '#provider/vendors/analytics.ts'
import { browserOf, failedRows, insertId, propertiesOf } from './schemas/mixpanel.ts'

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
      check: (id: string) => (/^\d{1,20}$/.test(id) ? undefined : 'Write the number alone: digits only.'),
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
  user: { $user_id: plain('userId', personIdOf(255)), ip: plain('ip') },
  requires: ['$user_id', 'captured.mp_*_mixpanel'],
  captures: [{ cookie: 'mp_*_mixpanel' }],
  dedup: 'properties.$insert_id, with the same name, time and distinct_id',

  request(context, secrets, name) {
    const { event, user } = context
    const { MIXPANEL_PROJECT_TOKEN: token, MIXPANEL_SERVICE_ACCOUNT: account, MIXPANEL_PROJECT_ID: projectId } = secrets
    const { distinctId, deviceId } = browserOf(context.captured, token)
    const distinct_id = user.$user_id ?? distinctId ?? deviceId
    if (!distinct_id) return { skipped: 'identityMissing' }
    const [accountName = '', accountSecret] = account && projectId ? account.split(/:(.*)/s, 2) : [token]
    const row = {
      ...propertiesOf(context),
      time: event.timestamp,
      distinct_id,
      $insert_id: insertId(event.eventId),
      $user_id: user.$user_id,
      $device_id: deviceId,
      // without an address Mixpanel locates the visitor by the server's
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
