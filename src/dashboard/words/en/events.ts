import type { ConsentTrace, Place, UnusedKey } from '#contract/journey.ts'
import { count, list, moment, plural, type Zone } from '../format.ts'

const consentSources: Record<ConsentTrace['source'], string> = {
  event: 'sent with the event',
  stored: 'the visitor’s own',
  none: 'none given',
  disabled: 'not asked for by this tag',
}
const consentStates: Record<NonNullable<ConsentTrace['state']>, string> = {
  agreed: 'agreed',
  refused: 'refused',
  unanswered: 'not answered yet',
}
const placeSources: Record<Place['source'], string> = {
  request: 'from the request',
  payload: 'from the event',
  user: 'last known',
  unknown: 'not known',
}
const unusedReasons: Record<UnusedKey['reason'], string> = {
  missing: 'its value is a placeholder such as null or unknown',
  countryUnknown: 'the number has no country code, and no country is known',
  invalid: 'it is not valid',
}

/** Texts of the pages of events and deliveries. */
export const eventWords = {
  columns: {
    time: 'Received',
    event: 'Event',
    id: 'Event id',
    visitor: 'Visitor',
    result: 'Deliveries',
    channel: 'Channel',
    status: 'Status',
    answer: 'Answer',
  },
  filter: {
    name: 'Event name',
    reason: 'Reason',
    allChannels: 'All channels',
    visitorPlaceholder: 'Visitor id',
    order: 'Order id',
    customer: 'Customer id',
    http: 'HTTP status',
    httpPlaceholder: '400,429',
    from: 'From',
    more: 'More filters',
    jump: 'Jump to time',
    jumpTo: (at: number, zone: Zone) => `Until ${moment(at, zone)}`,
    jumpGo: 'Jump',
    jumpNow: 'Back to now',
    jumps: { hour: 'An hour ago', day: 'This time yesterday', week: 'A week ago' },
  },
  views: {
    title: 'Views',
    none: 'Set filters, then save them here under a name.',
    name: 'Name of the view',
    save: 'Save',
    remove: (name: string) => `Remove the view ${name}`,
  },
  select: (id: string) => `Select ${id}`,
  selected: (n: number) => `${count(n)} selected`,
  clearSelection: 'Clear the selection',
  noEventsTitle: 'No events yet',
  noEvents: 'Events appear here as soon as your site or server sends them.',
  install: 'Put the snippet in',
  noMatch: 'No event matches these filters',
  noDeliveryMatch: 'No delivery matches these filters',
  noDeliveriesTitle: 'No deliveries yet',
  noDeliveries: 'Each event makes one delivery for each channel of the tag.',
  deletedEvent: 'deleted by retention',
  sendAgainMatching: 'Send again…',
  sendAgainTooNarrow:
    'Sending again has no filter by reason, HTTP status, visitor, order or customer. Clear these filters, or select events in the list of events.',

  // One event
  eventUnknownTitle: 'No such event',
  eventUnknown: 'This tag has no event with this id. It has not arrived, or retention has deleted it.',
  previous: 'Previous event',
  next: 'Next event',
  repeats: 'Repeats',
  caller: 'Sent by',
  callers: { trusted: 'a server with a token', untrusted: 'a browser or app' },
  sameId: 'The other kind of caller sent an event with the same id.',
  showOther: 'Show that one',
  journey: 'Journey',
  steps: {
    accepted: 'Accepted',
    place: 'Place',
  },
  pluginFiltered: (name: string) => `“${name}” filtered the event: no channel gets it.`,
  pluginAdded: (name: string, events: readonly string[]) => `“${name}” added ${list(events)}.`,
  pluginChanged: (name: string, fields: readonly string[]) => `“${name}” changed ${list(fields)}.`,
  pluginUnchanged: (name: string) => `“${name}” changed nothing.`,
  noPlugins: 'No plugin changed it.',
  joinedBy: {
    email: (userId: string) => `joined by e-mail with ${userId}`,
    customerId: (userId: string) => `joined by customer id with ${userId}`,
  },
  consentText: ({ source, at, state }: ConsentTrace, zone: Zone) =>
    [
      state && consentStates[state],
      at === undefined ? consentSources[source] : `${consentSources[source]}, since ${moment(at, zone)}`,
    ]
      .filter(Boolean)
      .join(' · '),
  hasGpc: 'The browser sent Global Privacy Control.',
  consentJoined: 'The consent of other users with the same e-mail was applied as well.',
  placeText: ({ country, region, source }: Place) => {
    const where = [country, region].filter(Boolean).join(' · ')
    return where ? `${where}, ${placeSources[source]}` : placeSources.unknown
  },
  noChannels: 'The tag had no channel when this event arrived.',
  attempt: (n: number, of: number) => `Attempt ${n} of ${of}`,
  earlierAttempts: (count: number) => `Earlier attempts (${count})`,
  noAnswer: 'no answer',
  http: (status: number) => `HTTP ${status}`,
  nextTry: (text: string) => `Next try ${text}`,
  request: 'Request',
  response: 'Response',
  batched: 'This request carried several events. Only this one is shown.',
  wholeRequest: 'Show the whole request',
  ownOnly: 'Show this event only',
  curl: 'As curl',
  struckOut: 'Dots replace secrets and personal data, which were masked before storage. Hashed values are kept.',
  exchangesNotStored: 'The requests were not stored: this server does not store every attempt.',
  exchangesGone: 'The requests are deleted by retention; the outcome stays.',
  bodyGone: 'The body of this request was not stored.',
  noExchanges: 'Nothing was sent to this channel.',
  asReceived: 'As received',
  asSent: 'After plugins',
  payloadGone: 'The event’s content is deleted by retention; its deliveries stay.',
  payloadErased: 'The visitor was erased, and the content of this event with them.',
  erasedEvent:
    'The visitor of this event was erased. Only the counts of its deliveries are kept; it cannot be sent again.',
  exchangesErased: 'The visitor was erased, and with them the requests.',
  redacted: 'Your role may not read the content of events.',
  sendAgainTo: (channel: string) => `Send again to ${channel}`,
  sendAgainTitle: 'Send this event again?',
  sendAgainDelivered: (channel: string) =>
    `${channel} already accepted this event. Sent again, it may be counted twice there unless the vendor drops repeats by event id.`,
  sendAgainStarted: 'It is being sent again.',
  sendAgainNothing: (reason: string | undefined) =>
    reason ? `Nothing is sent again: ${reason}.` : 'Nothing is left to send again.',
  tryToday: 'Try today’s settings',
  tryTodayTitle: 'With today’s settings',
  tryTodayNote:
    'What would happen if this event arrived now, with everything that is saved, drafts included. Nothing is sent. The place is the last known place of the visitor.',
  tryTodayRedacted: 'You need the right to see visitors: personal data of this event is masked.',
  before: 'Then',
  today: 'Today',
  wouldBeSent: 'would be sent',
  noSuchChannelThen: 'no such channel',
  noSuchChannelNow: 'deleted',
  openChannel: 'Open channel',
  warnings: (n: number) => plural(n, 'warning', 'warnings'),
  unusedKey: (key: string, reason: UnusedKey['reason']) => `No channel gets ${key}: ${unusedReasons[reason]}.`,
  copyId: 'Copy the event id',
}
