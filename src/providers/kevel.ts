import { provider } from '#provider/form/provider.ts'
import { standardEventNames } from '#provider/form/standardEventNames.ts'
import { choice, commaList, identifier, text } from '#provider/form/variables.ts'
import { clickInParam, clickParamCheck } from '#provider/vendors/clickParam.ts'
import { customExceptRefund } from '#provider/vendors/noRefunds.ts'

/** Kevel has no event names: each call is a conversion of the flight. */
const conversions = Object.fromEntries(Object.keys(standardEventNames).map((name) => [name, 'conversion']))

// A conversion has no currency: Kevel reads the amount in the network's currency.
export default provider({
  label: 'Kevel',
  stage: 'beta',
  consent: ['advertising', 'functional'],
  docs: 'https://dev.kevel.com/docs/server-to-server-conversion-tracking2',
  dashboardUrl: 'https://app.kevel.com/',
  links: {
    onboarding: 'https://dev.kevel.com/docs/server-to-server-conversion-tracking2',
    introduction: 'https://dev.kevel.com/docs/conversion-tracking',
  },
  host: 'label',

  secrets: {
    KEVEL_NETWORK_ID: identifier('Network ID', 'The number of your network: Settings, API Keys, at the top.', {
      placeholder: '23',
      isHostLabel: true,
    }),
    KEVEL_QUERY_KEY: text(
      'Conversion parameter',
      'The name of the parameter that holds %conversionid% in the click URL of your ads: ?conv=%conversionid%. The flight needs Track Conversions.',
      { optional: true, default: 'conv', check: clickParamCheck },
    ),
    KEVEL_VALUE_MODE: choice(
      'Value',
      'override: the value of the event replaces the revenue that the flight sets for a conversion. additional: it is added to it.',
      ['override', 'additional'],
    ),
    KEVEL_ALLOWED_EVENTS: text('Events', 'Names of the events that are conversions, separated by commas.', {
      optional: true,
      input: 'list',
      default: 'Purchase',
      placeholder: 'Purchase, Lead',
    }),
  },

  events: conversions,
  customEventName: customExceptRefund('conversion'),
  user: {},
  personId: 'none',
  captures: [{ query: 'conv' }],
  clickParam: 'KEVEL_QUERY_KEY',
  matchKeys: {
    strong: ['captured.conv'],
  },
  dedup: 'none: each call is a conversion',

  request(context, secrets) {
    const { eventName } = context.event
    if (!commaList(secrets.KEVEL_ALLOWED_EVENTS).includes(eventName))
      return { skipped: eventName === 'Purchase' ? 'filtered' : 'eventNotSupported' }
    const guid = clickInParam(context, secrets.KEVEL_QUERY_KEY) ?? ''
    // A segment of the path: anything but an id could lead to another page of the host.
    if (!/^[\w-]{1,100}$/.test(guid)) return { skipped: 'identityMissing' }
    return {
      url: `https://e-${secrets.KEVEL_NETWORK_ID}.adzerk.net/conv/${guid}`,
      query: { [secrets.KEVEL_VALUE_MODE]: context.value },
    }
  },
})
