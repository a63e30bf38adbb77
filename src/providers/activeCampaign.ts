import { emailAddress, validE164 } from '#provider/form/normalise.ts'
import { provider } from '#provider/form/provider.ts'
import { standardEventNames } from '#provider/form/standardEventNames.ts'
import type { StepSpec } from '#provider/form/steps.ts'
import { truncate } from '#provider/form/text.ts'
import { plain } from '#provider/form/userRule.ts'
import { digitsCheck } from '#provider/form/valueChecks.ts'
import { baseUrl, identifier, optional, password, text, urlCheck } from '#provider/form/variables.ts'
import { isSubscription, listVariable } from '#provider/vendors/subscription.ts'
import { eventDataOf, listSteps, orderOf, orderSteps, profileUpdate, responseRules } from './schemas/activeCampaign.ts'

const maxName = 32
const { PageView: _, ...names } = standardEventNames

export default provider({
  label: 'ActiveCampaign',
  stage: 'beta',
  consent: ['advertising', 'functional'],
  docs: 'https://developers.activecampaign.com/reference/track-event',
  dashboardUrl: 'https://www.activecampaign.com/login',
  links: {
    onboarding: 'https://help.activecampaign.com/hc/en-us/articles/221870128',
    introduction: 'https://developers.activecampaign.com/reference/contact-event-tracking-api-guide',
    faq: 'https://developers.activecampaign.com/reference/create-order',
  },
  host: 'tenant',

  secrets: {
    ACTIVE_CAMPAIGN_ACCOUNT_ID: identifier('Account ID', 'Website, Site Tracking, Event Tracking API: actid.', {
      placeholder: '66001234',
      check: (id: string) => (/^[\w-]{1,32}$/.test(id) ? undefined : 'Write the number that stands after actid.'),
    }),
    ACTIVE_CAMPAIGN_EVENT_KEY: password(
      'Event key',
      'Website, Site Tracking, Event Tracking: switch it on and copy the event key. Each event has to be added there by its name.',
    ),
    ACTIVE_CAMPAIGN_API_URL: text('API URL', 'Settings, Developer. Only for orders and profiles.', {
      ...optional,
      placeholder: 'https://account.api-us1.com',
      check: urlCheck,
    }),
    ACTIVE_CAMPAIGN_API_KEY: password('API key', 'Settings, Developer. Only for orders and profiles.', optional),
    ACTIVE_CAMPAIGN_CONNECTION_ID: identifier(
      'Connection ID',
      'The number of a deep data connection. With it and the API key, Purchase is an order as well.',
      { ...optional, check: digitsCheck },
    ),
    ACTIVE_CAMPAIGN_LIST_ID: listVariable('List', 'Contacts, Lists: its number. It needs the API key.', '2'),
  },

  events: names,
  customEventName: (eventName) => truncate(eventName, maxName),
  user: {
    email: plain('email', emailAddress),
    userId: plain('userId'),
    phone: plain('phone', validE164),
    firstName: plain('firstName'),
    lastName: plain('lastName'),
  },
  requires: ['email'],
  acceptsUserEvents: true,
  dedup: 'none for events; an order is made once for its number and connection',

  request(context, secrets, name) {
    const { event, data, user } = context
    const email = user.email!
    const { ACTIVE_CAMPAIGN_API_URL: url, ACTIVE_CAMPAIGN_API_KEY: key } = secrets
    const connectionid = secrets.ACTIVE_CAMPAIGN_CONNECTION_ID
    if (context.kind === 'user')
      return url && key ? profileUpdate({ url: baseUrl(url), key }, user) : { skipped: 'filtered' }
    const step: StepSpec = {
      url: 'https://trackcmp.net/event',
      form: {
        actid: secrets.ACTIVE_CAMPAIGN_ACCOUNT_ID,
        key: secrets.ACTIVE_CAMPAIGN_EVENT_KEY,
        event: name,
        eventdata: eventDataOf(context),
        visit: JSON.stringify({ email }),
      },
    }
    const order = event.eventName === 'Purchase' && data.orderId !== undefined ? orderOf(context) : undefined
    const { ACTIVE_CAMPAIGN_LIST_ID: list } = secrets
    if (isSubscription(context) && list && url && key) return listSteps(step, { url: baseUrl(url), key }, email, list)
    if (!order || !url || !key || !connectionid) return step
    return orderSteps(
      step,
      { url: baseUrl(url), key },
      { connectionid, externalid: user.userId ?? email, email },
      order,
    )
  },

  responseRules,
})
