import { reasons, statuses } from '#contract/deliveryStatus.ts'
import { eventFaults } from '#contract/edgeOperations.ts'
import { faults } from '#contract/fault.ts'
import { consentCategories } from '#contract/script.ts'
import { eventLimits } from '../eventLimits.ts'
import { type EventExample, eventReferenceExamples } from './examples.ts'
import { dataRows, itemRows, resultRows, standardEventRows, topRows, wellKnownEventRows } from './fields.ts'

/** A part of the event reference. Texts and cells may have code between backticks, and no other markup. */
export type ReferenceSection = {
  title: string
  texts?: readonly string[]
  table?: { head: readonly string[]; rows: readonly (readonly string[])[] }
  examples?: readonly EventExample[]
}

const code = (text: string) => `\`${text}\``
const fieldHead = ['field', 'type', 'required', 'meaning']

const headers = [
  ['`Content-Type`', '`application/json`, or `text/plain` for beacons; the body is JSON in UTF-8'],
  ['`Content-Encoding`', '`gzip` (or `x-gzip`), where the body is compressed'],
  ['`ServiceUserId`', 'the user of the event; `Service` is the brand of the installation (`AGLET_BRAND`)'],
  ['`Authorization`, `Team-Id`', 'an access token with the scope `event:write` and its team: the call is then trusted'],
  ['`Origin`', 'sent by browsers; one that the tag does not list is refused'],
  ['`Sec-GPC`', '`1` refuses advertising and sharing, on a tag with `gpc`'],
  [
    '`ServiceTcString`, `ServiceGppString`, `ServiceGppSections`',
    'the [consent texts](consent.md) of the visitor; the TC string in the cookie `euconsent-v2` is read too',
  ],
]

const sending: ReferenceSection = {
  title: 'Sending',
  texts: [
    '`POST {tag_url}/tag` takes one event, or an array of events. The answer is 200 when the events are on disk. ' +
      'With `?sync=true` the answer to one event waits up to 10 seconds for its deliveries.',
  ],
  table: { head: ['header', 'meaning'], rows: headers },
}

const user: ReferenceSection = {
  title: 'The user',
  texts: [
    'The user of an event is named by the header `ServiceUserId`, else by the cookie `tag_user_id`, else by `?userId=`. ' +
      'Without one the event has a new user, whose id is in the answer: send it with the next event.',
    'An e-mail names a user only in a trusted call: the event then belongs to the user for whom a trusted call gave the ' +
      'e-mail first, and the answer has the id of that user. In any other call four events with one e-mail have four users.',
  ],
}

const storage: ReferenceSection = {
  title: 'Storage',
  table: {
    head: ['path', 'meaning'],
    rows: [
      ['`storage.service.consent`', 'consent by provider: `all`, provider ids, and script names below a provider id'],
      [
        '`storage.service.consentCategories`',
        `consent by category: ${[...consentCategories, 'share_pii', 'all'].map(code).join(', ')}`,
      ],
      [
        '`storage.service.consentState`',
        '`unanswered`: the visitor has not answered the banner yet; the maps beside it are then the defaults of the page, and no answer',
      ],
      [
        '`storage.service.consentTexts`',
        'the strings of the banner: `tcf`, `addtlConsent`, `gdprApplies`, `gpp`, `gppSections`; they and the maps must all allow. For the proof: `banner`, its `version`, and `textVersion` of the text that the visitor was shown',
      ],
      ['`storage.kv`', 'user keys, such as `email`; they are stored with the user and not passed on as they are'],
      ['`storage.data.<provider>.<name>`', 'click ids and cookies that the page captured'],
    ],
  },
}

const consent: ReferenceSection = {
  title: 'Consent',
  texts: [
    'On a tag with `consent: enabled`, an event is delivered to a channel only where the consent maps allow it. A map ' +
      'that is absent does not restrict, but at least one must be there. Only `true` allows. A name without an entry ' +
      'follows `all`; without `all` it is refused. `necessary` is always allowed. `share_pii: false` removes what ' +
      'identifies the user; absent allows it.',
    'Where an event brings no consent, that which is stored for its user decides. Where nothing is stored, the event is ' +
      'held for as long as the tag says (`hold`), then `skipped: consent`.',
  ],
}

const selection: ReferenceSection = {
  title: 'Provider selection',
  table: {
    head: ['`providers`', 'goes to'],
    rows: [
      ['absent or null', 'every channel of the tag'],
      ['`{"all": true, "facebook": false}`', 'every channel except those of `facebook`'],
      ['`{"facebook": true}`', 'the channels of `facebook` alone'],
      ['`{"klaviyo": {"Newsletter": true}}`', 'the script `Newsletter` of `klaviyo` alone'],
      ['`["facebook", "klaviyo"]`', 'the channels of these providers'],
    ],
  },
}

const standard: ReferenceSection = {
  title: 'Standard events',
  texts: [
    'Any other name is a custom event. The required fields are those of the `validation` channel: an event without them ' +
      'is accepted, and a vendor may refuse it.',
  ],
  table: { head: ['event', 'required'], rows: standardEventRows() },
}

const wellKnown: ReferenceSection = {
  title: 'Well-known events',
  texts: [
    'Many vendors have names for these events too. A channel that has one sends the event by it, also if you write one of ' +
      'the other names; case, spaces, `_`, `-` and `.` make no difference. For any other channel it is a custom event ' +
      'with the name as you write it. The page of the providers lists the names of each.',
  ],
  table: { head: ['event', 'other names'], rows: wellKnownEventRows() },
}

const kib = (bytes: number) => `${bytes / 1024} KiB`
const limits: ReferenceSection = {
  title: 'Limits',
  table: {
    head: ['limit', 'value'],
    rows: [
      ['body', kib(eventLimits.bodyBytes)],
      ['one event', kib(eventLimits.eventBytes)],
      ['events of an array', `${eventLimits.events}`],
      ['levels of an event', `${eventLimits.depth}`],
      ['keys of an event', `${eventLimits.keys}`],
      ['`timestamp`', 'from 7 days back to 10 minutes ahead'],
      ['events of a tag and of a team', 'by the settings of the installation; above it 429 with `Retry-After`'],
    ],
  },
}

const answers: ReferenceSection = {
  title: 'Answer',
  texts: [
    'The answer is `{ "result": … }`: for one event an object, for an array one object for each event in its order. ' +
      '`accepted` means on disk; `duplicate` means that the tag had an event with this `eventId` in the last 7 days.',
    `The status of a delivery is one of ${statuses.map(code).join(', ')}; its reason one of ${reasons.map(code).join(', ')}.`,
  ],
  table: { head: fieldHead, rows: resultRows() },
}

const errors: ReferenceSection = {
  title: 'Errors',
  texts: ['An error is `{ "message", "statusCode", "error", "attributes"? }`. `attributes.issues` names each field.'],
  table: {
    head: ['status', '`error`', 'meaning'],
    rows: [...eventFaults, 'methodNotAllowed' as const]
      .sort((one, other) => faults[one].status - faults[other].status)
      .map((name) => [`${faults[name].status}`, code(faults[name].code), faults[name].message]),
  },
}

/** The reference of the event endpoint. Source of docs/events.md and the page /docs/events. */
export const eventReference: readonly ReferenceSection[] = [
  sending,
  {
    title: 'Fields',
    texts: [
      'Only the required fields and the types of `data`, `providers` and `storage` are checked before an event is ' +
        'accepted. Another field is kept and passed on; the answer has a warning for it.',
      'The answer also warns of values that no receiver gets as they were sent: half a surrogate pair is replaced by ' +
        'U+FFFD, a number above the range of a double is passed on as null, and an integer beyond 2^53 loses digits. ' +
        'Send long ids as text.',
    ],
    table: { head: fieldHead, rows: topRows() },
  },
  { title: 'Data', texts: ['Other keys are passed on.'], table: { head: fieldHead, rows: dataRows() } },
  { title: 'Products: data.contents', table: { head: fieldHead, rows: itemRows() } },
  user,
  storage,
  consent,
  selection,
  standard,
  wellKnown,
  limits,
  answers,
  errors,
  { title: 'Examples', examples: eventReferenceExamples },
]
