import type { ProviderKind } from '../../list/catalogue.ts'
import { count, list, plural } from '../format.ts'

const categories: Record<string, string> = {
  advertising: 'Advertising',
  analytics: 'Analytics',
  functional: 'Functional',
  necessary: 'Necessary',
}

/** Texts of the channel pages and of the channel form. */
export const channelWords = {
  addNamed: (provider: string) => `Add ${provider}`,
  search: 'Search providers',
  searchHint: 'A name, “ga4”, “email”, “conversions api”',
  kind: {
    advertising: 'Advertising',
    analytics: 'Analytics',
    messaging: 'E-mail, SMS and CRM',
    affiliate: 'Affiliates and partners',
    app: 'App attribution',
    data: 'Data streams and warehouses',
    own: 'Code of your own',
  } satisfies Record<ProviderKind, string>,
  noProvider: 'No provider matches',
  documentation: 'Documentation',
  where: 'Where are my keys?',
  vendorPage: 'Vendor’s own page',
  settings: 'Settings',
  secretsTitle: 'Connection',
  credentials: 'Credentials: one of these',
  helpLink: 'Where to find it',
  show: 'Show',
  hide: 'Hide',
  sealedNote: 'Sealed in this browser before it is sent.',
  isSet: 'set',
  setSince: (when: string) => `set ${when}`,
  replace: 'Replace',
  keep: 'Keep the saved one',
  noCrypto:
    'This page is not loaded over https, so the browser cannot seal. Seal the value with this command and paste its output:',
  sealedEntry: 'Sealed entry (JSON)',
  sealedBroken: 'This is not a sealed entry for this field.',
  consent: 'Required consent',
  category: (name: string) => categories[name] ?? name,
  regionsHint: 'A country, EU, EEA or a subdivision such as US-CA.',
  regionsText: 'As text',
  regionsExample: 'EU,US,-US-CA',
  regionSearch: 'Add a region',
  include: (name: string) => `Only from ${name}`,
  exclude: (name: string) => `Not from ${name}`,
  not: 'not',
  regionGroups: { EU: 'the EU', EEA: 'the EEA' },
  regionSentence: (include: readonly string[], exclude: readonly string[]) => {
    const from = include.length > 0 ? `From ${list(include)}` : 'From everywhere'
    return exclude.length > 0 ? `${from}, but not from ${list(exclude)}.` : `${from}.`
  },
  valueMode: 'Value of purchases',
  valueModes: { gross: 'Gross, with tax and shipping', net: 'Net, without tax and shipping' },
  saving: 'Saving…',
  missing: 'is required',
  mendFields: (n: number) => `Check ${plural(n, 'field', 'fields')}.`,
  changedTitle: 'Someone else changed this channel',
  unknownProvider: 'Provider not found.',

  tryTitle: 'Try it',
  tryNote: 'Uses the current values of the form, saved or not.',
  fillFirst: 'Fill in the required fields first.',
  previewRun: 'Preview',
  testNote:
    'Preview sends nothing. A test sends one real event to the vendor, with consent given; it is not counted here.',
  testRun: 'Send test event',
  previewed: 'This request would be sent.',
  nothingSent: 'Nothing would be sent.',
  tested: (status: number, took: string) => `HTTP ${status} in ${took}`,

  // One channel
  nextTry: 'Next try',
  waiting: 'Waiting',
  held: 'Held for consent',
  oldest: 'Oldest',
  lastDelivered: 'Last delivered',
  provider: 'Provider',
  matchKeysFact: 'Finds a person by',
  /** `groups`: the strong keys, then the medium ones. */
  matchKeys: (groups: readonly (readonly { vendorKey: string }[])[]) =>
    groups
      .map((keys) => keys.map(({ vendorKey }) => vendorKey).join(', '))
      .filter(Boolean)
      .join('; less reliably by '),
  never: 'never',
  resume: 'Resume',
  replayFailed: 'Send failed again',
  removeText:
    'Removes the channel from the live tag at once. Past deliveries stay in the events; waiting deliveries are cancelled.',
  errors: 'Errors',
  errorsNote: 'Deliveries of the last seven days that failed or wait because of an error, by message.',
  noErrors: 'No errors',
  errorLast: 'Last',
  errorMessage: 'Message',
  noMessage: 'no message',
  stateText: {
    ok: 'It accepts events.',
    paused: 'Paused by a person. Its events wait.',
    keyRejected: 'The vendor rejects the key. Events wait; replace the key to send them.',
    vendorDown: 'The vendor does not answer, or answers with errors. Events wait and are retried automatically.',
    throttled: 'The vendor asked for fewer calls. Events are sent more slowly.',
    draft: 'It is saved but not live. Deploy it to send events to it.',
  },
  healthText: {
    waiting: 'Deliveries wait for more than a minute.',
    ok: 'Less than a tenth of the last hour failed.',
    quiet: 'Nothing was sent in the last hour.',
  },
  failedDeliveries: (failed: number, all: number) =>
    `${count(failed)} of ${plural(all, 'delivery', 'deliveries')} of the last hour failed.`,
  failedRuns: (failed: number, all: number) =>
    `${count(failed)} of ${plural(all, 'call', 'calls')} of the last hour failed.`,
  p95: 'Vendor’s answer, p95',
  needs: 'An event needs one of',
  addressNote: 'Other systems send a POST request to this address. Each call runs the code.',
  hasToken: 'Calls need the header Authorization: Bearer with the token of this channel.',
  isPublic: 'Public: anyone with this address can run the code.',
  setToken: 'Set a token',
  runs: 'Calls',
  runsNote: 'The calls of the last seven days, newest first. A call fails with an error, or with a status from 500.',
  noRuns: 'No call yet',
  noRunsText: 'Send a POST request to the address above. The call, its logs and its result appear here.',
  runLine: (line: number, column: number | undefined) =>
    column === undefined ? `line ${line}` : `line ${line}, column ${column}`,
  runMade: (events: number) => plural(events, 'event', 'events'),
  runRequest: 'Request',
  runHidden: 'Your role may not read the request, because it contains visitor data.',
  runLogs: 'Logs',
  runNoLogs: 'The code logged nothing.',
  runEvents: (n: number) => `${plural(n, 'event', 'events')} from this call:`,
  moreRuns: 'Older calls',
  replaceTitle: (field: string, channel: string) => `${field} of ${channel}`,
  replaceWhy: (when: string, message: string | undefined) =>
    `The vendor refused the current key ${when}${message ? `: ${message}` : '.'}`,
  replaceTry: 'Try and save',
  replaceTryNote:
    'One test event is sent with the new value. It is saved and deployed only if the vendor accepts the event.',
  replaceNoTry: 'The new value is saved and deployed.',
  replaceFailed: 'The vendor did not accept the test event. Nothing was saved.',
  replaceAnyway: 'Save anyway',
  replaceAll: 'All settings',
}
