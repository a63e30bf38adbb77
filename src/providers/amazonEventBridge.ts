import { asKnown } from '#provider/form/normalise.ts'
import { provider } from '#provider/form/provider.ts'
import { standardEventNames } from '#provider/form/standardEventNames.ts'
import { truncate } from '#provider/form/text.ts'
import { epochSeconds } from '#provider/form/time.ts'
import { plain } from '#provider/form/userRule.ts'
import { optional, text } from '#provider/form/variables.ts'
import { awsRequest, awsResponseRules, awsSecrets } from '#provider/vendors/aws.ts'

type Answer = { Entries?: { ErrorCode?: string; ErrorMessage?: string }[] }

/** The site of the event. AWS reserves names that begin with aws. */
function sourceOf(pageUrl: string | undefined): string {
  const host = URL.parse(pageUrl ?? '')?.hostname || 'aglet'
  return host.startsWith('aws') ? `site.${host}` : host
}

/** Why one entry failed: throttling, a service error, or an entry that the bus never accepts. */
const verdictOf = (code: string) =>
  /Throttling/.test(code) ? 'throttled' : /^Internal/.test(code) ? 'retry' : ('refused' as const)

export default provider({
  label: 'Amazon EventBridge',
  stage: 'beta',
  consent: ['analytics', 'advertising', 'functional', 'necessary'],
  docs: 'https://docs.aws.amazon.com/eventbridge/latest/APIReference/API_PutEvents.html',
  dashboardUrl: 'https://console.aws.amazon.com/events',
  links: {
    onboarding: 'https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-putevents.html',
    introduction: 'https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-what-is.html',
    faq: 'https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-quota.html',
  },
  host: 'label',

  secrets: {
    ...awsSecrets('events:PutEvents'),
    EVENTBRIDGE_BUS_NAME: text('Event bus', 'EventBridge, Event buses: its name or its ARN.', {
      ...optional,
      default: 'default',
      check: (name: string) =>
        /^[\w/.:-]{1,1600}$/.test(name) ? undefined : 'Write the name or the ARN of the bus, without spaces.',
    }),
    EVENTBRIDGE_SOURCE: text(
      'Source',
      'The source by which rules find the events. Without it: the host name of the site.',
      {
        ...optional,
        placeholder: 'shop.example',
        check: (source: string) =>
          /^(?!aws)[\w/.:-]{1,256}$/.test(source)
            ? undefined
            : 'Write letters, digits and / . _ : - and not aws first.',
      },
    ),
  },

  events: standardEventNames,
  customEventName: (eventName) => eventName,
  // The customer's own bus receives the event unchanged, with unhashed personal values.
  user: { email: plain('email', asKnown), phone: plain('phone', asKnown) },
  personId: 'none',
  dedup: 'none in the bus; consumers read detail.eventId',

  request({ event, payload }, secrets, name) {
    const entry = {
      Source: secrets.EVENTBRIDGE_SOURCE ?? sourceOf(event.pageUrl),
      DetailType: truncate(name, 128).toWellFormed(),
      Detail: JSON.stringify(payload),
      EventBusName: secrets.EVENTBRIDGE_BUS_NAME,
      Time: epochSeconds(event.timestamp),
      Resources: [],
    }
    return awsRequest(secrets, { host: 'events', action: 'AWSEvents.PutEvents' }, { Entries: [entry] })
  },
  batch: {
    maxEvents: 10,
    // The limit of all entries together is 256 KB.
    maxBytes: 256_000,
    listPath: 'Entries',
    // A 200 can contain failed entries.
    partialFailures: ({ Entries = [] }: Answer) =>
      Entries.flatMap(({ ErrorCode, ErrorMessage: message = ErrorCode }, row) =>
        ErrorCode ? [{ row, verdict: verdictOf(ErrorCode), message }] : [],
      ),
  },
  errorMessage: 'Entries.0.ErrorMessage',
  responseRules: [
    ...awsResponseRules,
    // For several entries, partialFailures finds the failed ones.
    { status: 200, path: 'Entries.1', verdict: 'delivered' },
    { status: 200, path: 'Entries.0.ErrorCode', matches: /Throttling/, verdict: 'throttled' },
    { status: 200, path: 'Entries.0.ErrorCode', matches: /^Internal/, verdict: 'retry' },
    { status: 200, path: 'Entries.0.ErrorCode', verdict: 'refused' },
  ],
})
