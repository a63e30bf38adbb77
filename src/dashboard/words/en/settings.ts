import type { SourceName } from '#contract/sourceNames.ts'
import type { Tag } from '#contract/tag.ts'
import { plural } from '../format.ts'

/** Texts of the settings of tags and of the team. */
export const settingsWords = {
  general: 'General',
  access: 'Who may send events',
  consentTitle: 'Consent and cookies',
  versions: 'Versions',
  labels: {
    name: 'Name',
    domain: 'Domain',
    allowedOrigins: 'Allowed origins',
    consent: 'Consent',
    gpc: 'Global Privacy Control',
    hold: 'Wait for a missing consent',
    sameSite: 'Cookie SameSite',
    serverToken: 'Token of server calls',
    captureBeforeConsent: 'Before a consent',
    defaultCountry: 'Default country',
    sources: 'Sources',
    sdkVersion: 'SDK',
    edgeVersion: 'Edge',
  } satisfies Record<string, string>,
  domainHint: 'The cookie and the default origins derive from it.',
  countryHint:
    'Two letters, such as DE: the country of phone numbers without country code, if neither the visitor nor the order names one. Empty: the country that the IP address is in.',
  originsHint: 'One on each line, such as https://shop.example. Empty: the domain and its subdomains.',
  consents: {
    enabled: 'On: a channel gets what the visitor agreed to',
    disabled: 'Off: every channel gets every event',
  } satisfies Record<Tag['consent'], string>,
  gpcText: 'A browser that sends Global Privacy Control counts as a refusal of advertising',
  holdOff: 'Not at all: an event without consent is not sent',
  holdFor: (minutes: number) => `Up to ${plural(minutes, 'minute', 'minutes')}`,
  sameSiteHint: 'Lax suits a site of one domain. None is for a tag that is used across sites, over https only.',
  serverTokens: {
    optional: 'Optional: a server may send events without a token',
    required: 'Required: a server needs a token with event:write',
  } satisfies Record<Tag['serverToken'], string>,
  captures: {
    memory: 'The SDK stores and sends nothing; events wait in the memory of the page',
    none: 'The SDK stores and sends nothing; events are dropped',
    all: 'The SDK stores ids and sends events; a channel gets them only after a consent',
  } satisfies Record<Tag['captureBeforeConsent'], string>,
  capturesHint: 'What the browser SDK does until the visitor decides. Has no effect while consent is off.',
  sourcesHint:
    'Protocols of other products that the tag URL accepts too. The address of a source that is off does not exist.',
  sources: {
    segment: 'Segment: the SDKs of Segment, RudderStack and Jitsu',
    ga4: 'Google Analytics 4: gtag and the Measurement Protocol',
    cloudEvents: 'CloudEvents 1.0',
    snowplow: 'Snowplow: its trackers',
  } satisfies Record<SourceName, string>,
  keysTitle: 'Keys of sources',
  keysText:
    'A server sends with a key: a token with event:write and nothing else. It works for every tag of the team. A page sends with the id of the tag.',
  key: 'Key',
  keyOf: 'Application',
  noKeys: 'No keys',
  noApplication: 'First register an application that has event:write.',
  newKey: 'New key',
  keyMade: 'The key',
  rotateKey: 'Rotate',
  rotateKeyTitle: (name: string) => `New key of ${name}`,
  rotateKeyText: 'The previous key works until you revoke it, so both work while you update the SDK.',
  serverTokenHint: 'Browsers of allowed origins need no token.',
  latest: (version: string | undefined) => (version ? `latest (now ${version})` : 'latest'),
  save: 'Save and deploy',
  saved: 'Saved and live.',
  nothing: 'Nothing is changed',
  restart: 'Undo',
  fields: (n: number) => `${plural(n, 'setting', 'settings')} changed`,
  deleteTitle: 'Delete this tag',
  deleteText:
    'Deletes the tag with its channels, deployments, events and visitors, and takes it off the edge at once. This cannot be undone.',
  deleteButton: 'Delete the tag',
  deleteAsk: (name: string) => `Delete ${name}?`,
  deleteConfirm: (name: string) => `Type ${name} to delete it`,

  newTitle: 'New tag',
  newIntro: 'A tag is one website or app with its own event endpoint.',
  newName: 'Name',
  newDomain: 'Domain of the site',
  domainPlaceholder: 'shop.example',
  create: 'Create the tag',

  teamName: 'Name of the team',
  teamId: 'Team id',
  created: 'Made',
  teamSaved: 'Saved.',
  yourRole: 'Your role',
}
