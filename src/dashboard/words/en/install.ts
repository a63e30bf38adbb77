import type { HostState } from '#contract/tag.ts'
import { moment, plural, type Zone } from '../format.ts'

/** Texts of the page for installing a tag. */
export const installWords = {
  title: (name: string) => `Put Aglet into ${name}`,
  snippet: 'Snippet',
  kinds: { page: 'Page', module: 'Module', server: 'Server', typescript: 'TypeScript' },
  hints: {
    page: 'Before the end of <head>, on every page.',
    module: 'For an application with a bundler: the package aglet, or dist/browser.mjs of this server.',
    server:
      'From your server, for offline purchases and refunds. The event id prevents duplicates. consent holds what the visitor agreed to.',
    typescript: 'The same from TypeScript, without a package.',
  },
  consent: 'Consent',
  consentWaits: {
    memory:
      'Before a consent this tag stores and sends nothing: the page keeps its calls in memory and drops them when it closes. ' +
      'Call this after the visitor has answered your banner, and not before.',
    none:
      'Before a consent this tag stores and sends nothing, and drops the calls of the page. ' +
      'Call this after the visitor has answered your banner, and not before.',
  },
  noBanner: 'A page without a banner that needs no consent calls init with { disableConsentCheck: true }.',
  csp: 'Content-Security-Policy',
  cspHint: 'If your site sends one, add these to it.',
  hosts: 'Own host names',
  hostsHint: 'Served from a name of your site, cookies of the tag last longer and blockers interfere less.',
  noHosts: 'None yet. Until then the tag works at its tag URL.',
  hostPlaceholder: 'd.example.com',
  removeHostText: 'The server stops serving this name at once. Pages that load the script from it get nothing.',
  host: 'Host name',
  hostState: {
    unproved: 'ownership not proved',
    missing: 'no DNS record',
    ready: 'served',
  } satisfies Record<HostState['state'], string>,
  record: 'DNS record',
  proof: 'Proof of ownership',
  checkAgain: 'Check again',
  watching: 'Watching for your site',
  watchingNote: 'This page updates by itself.',
  checks: {
    load: ['Script loaded', 'waits for the snippet'],
    init: ['Visitor known to the tag', 'waits for the script'],
    event: ['First event', 'waits for an event'],
  } as const,
  initAfterConsent: 'waits for the consent of a visitor',
  seen: (at: number, host: string | undefined, zone: Zone) => `${moment(at, zone)}${host ? ` · ${host}` : ''}`,
  refused: (n: number) => plural(n, 'call was refused', 'calls were refused'),
  noSite: 'No site yet?',
  testNote: 'A test event goes to every saved channel, with consent given. It is not counted.',
  sendTest: 'Send test event',
  preview: 'Preview on the site',
  previewNote:
    'A link that opens your site. Events of that browser tab run through all saved changes; they are neither stored nor counted.',
  previewNone: 'Preview, send nothing',
  previewTestMode: 'Preview, send in test modes',
  previewLink: 'Preview link',
  previewUntil: 'Up to 500 events, until',
  previewWaits: 'Open the link: its events appear here.',
  arrived: (name: string) => `${name} arrived.`,
  seeJourney: 'See its journey',
}
