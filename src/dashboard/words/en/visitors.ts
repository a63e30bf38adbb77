import { count, list, moment, plural, type Zone } from '../format.ts'

type Searched = 'users' | 'claims' | 'customData' | 'events'
const searched: Record<Searched, string> = {
  users: 'stored visitors',
  claims: 'addresses that visitors claimed',
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
  nobodyTitle: 'Nobody was found',
  nobody: 'Check the spelling. Erased visitors are not found.',
  searched: (what: readonly Searched[], eventsFrom: number | undefined, zone: Zone) =>
    `Searched: ${list(what.map((each) => searched[each]))}${eventsFrom === undefined ? '' : `, back to ${moment(eventsFrom, zone)}`}.`,
  searchOlder: 'Search older events',
  fromEvent: 'in an event only',
  eraseAll: (n: number) => (n === 1 ? 'Erase' : `Erase all ${count(n)}`),
  eraseAllTitle: (n: number) => `Erase ${plural(n, 'visitor', 'visitors')}?`,
  eraseOlder: 'Older events were not searched. Search them first if everything of this address is to be erased.',
  crowded: 'Too many visitors have this e-mail to list them.',
  shared:
    'Your server gave more than ten e-mails with this customer id in 30 days. It is the id of no single person, so it joins nobody.',
  confirmed: 'given by a trusted call',
  seen: 'Last seen',

  title: 'Visitor',
  known: 'What is known',
  keys: 'Identity',
  custom: 'Custom data',
  captured: 'Click ids and cookies',
  capturedSince: 'first seen',
  nothing: 'Nothing is stored besides the events.',
  place: 'Last place',
  session: 'Session',
  noConsent: 'None was given. If the tag asks for consent, channels that require it get nothing.',
  consentGiven: 'given',
  everything: 'Everything',
  categories: 'By category',
  purposes: 'By service',
  yes: 'agreed',
  no: 'refused',
  history: 'In the events',
  older: (n: number) => plural(n, 'older change', 'older changes'),
  historyHint:
    'The consents that the loaded events carried. An event without one keeps the consent that held for it: open it to see which.',
  noEvents: 'No events are kept',
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
