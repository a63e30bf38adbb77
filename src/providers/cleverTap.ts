import { emailAddress, genderLetter, validE164 } from '#provider/form/normalise.ts'
import { provider } from '#provider/form/provider.ts'
import { region, regionHost } from '#provider/form/region.ts'
import { truncate } from '#provider/form/text.ts'
import { plain } from '#provider/form/userRule.ts'
import { noSpaces } from '#provider/form/valueChecks.ts'
import { identifier, password } from '#provider/form/variables.ts'
import { failedRows, rowOf } from './schemas/cleverTap.ts'

const hosts = {
  default: 'api.clevertap.com',
  eu1: 'eu1.api.clevertap.com',
  in1: 'in1.api.clevertap.com',
  sg1: 'sg1.api.clevertap.com',
  us1: 'us1.api.clevertap.com',
  aps3: 'aps3.api.clevertap.com',
  mec1: 'mec1.api.clevertap.com',
}

export default provider({
  label: 'CleverTap',
  stage: 'beta',
  consent: ['advertising', 'analytics', 'functional'],
  docs: 'https://developer.clevertap.com/docs/upload-events-api',
  dashboardUrl: 'https://eu1.dashboard.clevertap.com/login.html',
  links: {
    onboarding: 'https://developer.clevertap.com/docs/common-api-components',
    faq: 'https://developer.clevertap.com/docs/api-request-limit',
  },
  host: 'fixed',

  secrets: {
    CLEVERTAP_ACCOUNT_ID: identifier('Project ID', 'Settings, Project: the project ID.', {
      placeholder: 'ZWW-WWW-WWRZ',
      check: noSpaces,
    }),
    CLEVERTAP_PASSCODE: password('Passcode', 'Settings, Project: the passcode of the project.', { check: noSpaces }),
    CLEVERTAP_REGION: region(
      hosts,
      'The first part of the address of your dashboard. A wrong region rejects the passcode.',
    ),
  },

  events: {
    PageView: 'Page Viewed',
    ViewContent: 'Product Viewed',
    AddToCart: 'Added To Cart',
    RemoveFromCart: 'Removed From Cart',
    InitiateCheckout: 'Checkout Started',
    AddShippingInfo: 'Shipping Info Added',
    AddPaymentInfo: 'Payment Info Added',
    Purchase: 'Charged',
    Subscribe: 'Subscribed',
    Search: 'Searched',
    Lead: 'Lead',
  },
  customEventName: (eventName) => truncate(eventName, 120),
  user: {
    identity: plain('userId'),
    email: plain('email', emailAddress),
    phone: plain('phone', validE164),
    gender: plain('gender', genderLetter),
    firstName: plain('firstName'),
    lastName: plain('lastName'),
  },
  requires: ['identity', 'email'],
  acceptsUserEvents: true,
  dedup: 'identity, evtName and ts with the same data; Charged ID',

  request(context, secrets, evtName) {
    const row = rowOf(context, evtName)
    if (!row) return { skipped: 'filtered' }
    return {
      url: `https://${regionHost(hosts, secrets.CLEVERTAP_REGION)}/1/upload`,
      headers: {
        'x-clevertap-account-id': secrets.CLEVERTAP_ACCOUNT_ID,
        'x-clevertap-passcode': secrets.CLEVERTAP_PASSCODE,
        'content-type': 'application/json; charset=utf-8',
      },
      json: { d: [row] },
    }
  },
  batch: { listPath: 'd', maxEvents: 1_000, partialFailures: failedRows },

  errorMessage: 'unprocessed.0.error',
  responseRules: [
    { path: 'unprocessed.0', verdict: 'refused' },
    { status: 200, path: 'status', equalsAny: ['fail'], verdict: 'refused' },
  ],
})
