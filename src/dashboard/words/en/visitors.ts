import { count, list, moment, plural, type Zone } from '../format.ts'

type Searched = 'users' | 'claims' | 'customData' | 'events'
const searched: Record<Searched, string> = {
  users: 'stored visitors',
  claims: 'e-mail addresses that visitors entered',
  customData: 'the custom data of visitors',
  events: 'the content of events',
}

/** Texts of visitors. */
export const visitorWords = {
  intro:
    'Find what is stored about a person, to answer an access request or to erase it. Each search is recorded in the audit.',
  find: 'Find a visitor',
  by: 'By',
  bys: { email: 'E-mail', userId: 'Visitor id', key: 'Custom data' },
  userId: 'Visitor id',
  key: 'Key',
  keyHint: 'customerId, or a name in the custom data of visitors.',
  submit: 'Find',
  found: (n: number) => plural(n, 'visitor', 'visitors'),
  nobodyTitle: 'No visitor found',
  nobody: 'Check the spelling. Erased visitors are not found.',
  searched: (what: readonly Searched[], eventsFrom: number | undefined, zone: Zone) =>
    `Searched: ${list(what.map((each) => searched[each]))}${eventsFrom === undefined ? '' : `, back to ${moment(eventsFrom, zone)}`}.`,
  searchOlder: 'Search older events',
  fromEvent: 'in an event only',
  eraseAll: (n: number) => (n === 1 ? 'Erase' : `Erase all ${count(n)}`),
  eraseAllTitle: (n: number) => `Erase ${plural(n, 'visitor', 'visitors')}?`,
  eraseOlder: 'Older events were not searched. Search them first to erase everything with this address.',
  crowded: 'Too many visitors have this e-mail address to list them all.',
  shared:
    'Your server gave more than ten e-mails with this customer id in 30 days. The id does not belong to a single person, so it links no visitors.',
  confirmed: 'given by a trusted call',
  seen: 'Last seen',

  title: 'Visitor',
  known: 'Stored data',
  keys: 'Identity',
  custom: 'Custom data',
  captured: 'Click ids and cookies',
  capturedSince: 'first seen',
  nothing: 'Only events are stored.',
  place: 'Last location',
  session: 'Session',
  noConsent: 'No consent was given. If the tag asks for consent, nothing is sent to channels that require it.',
  consentGiven: 'given',
  everything: 'Everything',
  categories: 'By category',
  purposes: 'By service',
  yes: 'agreed',
  no: 'refused',
  history: 'In the events',
  older: (n: number) => plural(n, 'older change', 'older changes'),
  historyHint:
    'The consent in the loaded events. If an event has none, the stored consent at that time applied: open the event to see it.',
  noEvents: 'No stored events',
  more: 'Load more events',
  exporting: 'Collecting…',
  erase: 'Erase',
  eraseTitle: 'Erase this visitor?',
  eraseText:
    'Erases everything stored about the visitor and every event, including those that wait for delivery. Vendors keep what they already have. This cannot be undone.',
  eraseConfirm: (userId: string) => `Type ${userId} to erase this data`,
  erased: (events: number) => `Erased, with ${plural(events, 'event', 'events')}.`,
  erasedTitle: 'This visitor is erased',
}
