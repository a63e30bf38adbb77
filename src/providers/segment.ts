import { basicAuth } from '#provider/form/authorization.ts'
import { emailAddress, phoneE164 } from '#provider/form/normalise.ts'
import { provider } from '#provider/form/provider.ts'
import { region, regionHost } from '#provider/form/region.ts'
import { plain } from '#provider/form/userRule.ts'
import { noSpaces } from '#provider/form/valueChecks.ts'
import { password } from '#provider/form/variables.ts'
import {
  countSegmentCalls,
  segmentBatch,
  segmentEvents,
  segmentRequests,
  unquoted,
} from '#provider/vendors/segmentSpec.ts'

const hosts = { US: 'api.segment.io', EU: 'events.eu1.segmentapis.com' }

export default provider({
  label: 'Segment',
  stage: 'beta',
  consent: ['analytics', 'advertising', 'functional'],
  docs: 'https://segment.com/docs/connections/sources/catalog/libraries/server/http-api/',
  dashboardUrl: 'https://app.segment.com',
  links: {
    onboarding: 'https://segment.com/docs/connections/find-writekey/',
    introduction: 'https://segment.com/docs/connections/spec/ecommerce/v2/',
    faq: 'https://segment.com/docs/connections/sources/debugger/',
  },
  host: 'fixed',

  secrets: {
    WRITE_KEY: password(
      'Write key',
      'Connections, Sources, your source, Settings, API Keys: of a source of the type HTTP API.',
      { placeholder: 'aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dE', check: noSpaces },
    ),
    // Segment responds with 200 to a key of another region, but the events never appear.
    SEGMENT_REGION: region(hosts, 'Workspace settings, General settings: Data residency of the workspace.'),
  },

  events: segmentEvents,
  customEventName: (eventName) => eventName,
  user: {
    userId: plain('customerId'),
    anonymousId: plain('anonymousId'),
    email: plain('email', emailAddress),
    phone: plain('phone', phoneE164),
    ip: plain('ip'),
    userAgent: plain('userAgent'),
  },
  personId: 'customerId',
  requires: [
    'userId',
    'anonymousId',
    'captured.ajs_aid',
    'captured.ajs_anonymous_id',
    'captured.ajs_uid',
    'captured.ajs_user_id',
  ],
  captures: [
    { query: 'ajs_aid', cookie: 'ajs_anonymous_id' },
    { query: 'ajs_uid', cookie: 'ajs_user_id' },
  ],
  matchKeys: {
    strong: ['userId', 'email', 'phone', 'captured.ajs_uid', 'captured.ajs_user_id'],
    medium: ['captured.ajs_aid', 'captured.ajs_anonymous_id', 'anonymousId'],
  },
  dedup: 'messageId, for about a day and over all sources',

  request(context, { WRITE_KEY: key, SEGMENT_REGION: chosen }, name) {
    const { userId, anonymousId, ...fields } = context.user
    const { ajs_aid, ajs_anonymous_id, ajs_uid, ajs_user_id } = context.captured
    const ids = {
      userId: userId ?? unquoted(ajs_uid?.value) ?? unquoted(ajs_user_id?.value),
      anonymousId: unquoted(ajs_aid?.value) ?? unquoted(ajs_anonymous_id?.value) ?? anonymousId,
    }
    if (!ids.userId && !ids.anonymousId) return { skipped: 'identityMissing' }
    const api = `https://${regionHost(hosts, chosen)}/v1`
    return segmentRequests(api, { authorization: basicAuth(key) }, context, name, ids, fields)
  },
  batch: { maxEvents: 2_500, maxBytes: 450_000, join: segmentBatch, countEvents: countSegmentCalls },
})
