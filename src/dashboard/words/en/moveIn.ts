import type { MoveIssue } from '#dashboard/form/moveIn.ts'
import type { ImportedElement } from '#import/importResult.ts'
import type { ImportProduct } from '#import/json.ts'
import { count, list, plural } from '../format.ts'

/** Texts of the page that moves tags in from another product. */
export const moveInWords = {
  promote: 'Promote to production',
  promoteIntro:
    'Copies a sandbox tag with its settings and channels to production. Nothing changes before you have seen the plan.',
  promoteFrom: (name: string) => `From the sandbox: ${name}`,
  promoteNote:
    'Host names, origins and shops stay those of production. Secrets cannot be read: fill in those that production does not have.',
  promoteRead: (channels: number) =>
    `${plural(channels, 'channel', 'channels')} and the settings of the tag were read.`,
  promoteSignIn: 'You are not signed in to the sandbox',
  promoteSignInText: 'Sign in there and come back to this page. Production and sandbox have sessions of their own.',
  promoteOpen: 'Open the sandbox',
  promoteProductionFirst: 'Sign in to production first.',
  title: 'Move in from another product',
  intro: 'Turns an export into channels, with a report of what you have to finish.',
  fileTitle: 'The export',
  fileNote: 'The file is read in this browser and not uploaded.',
  product: 'Product',
  anyProduct: 'Recognised by the file',
  products: {
    gtm: 'Google Tag Manager',
    zaraz: 'Cloudflare Zaraz',
    segment: 'Segment',
    rudderstack: 'RudderStack',
  } satisfies Record<ImportProduct, string>,
  file: 'File of the export',
  drop: 'or drop it here',
  fileHint:
    'A container (the server’s, the page’s or both), a configuration of Zaraz, workspaceConfig.json of RudderStack, or for Segment all .tf files, or answers of its API as .json files. At most 20 MB.',
  reading: (names: readonly string[]) =>
    `Reading ${names.length === 1 ? names[0] : plural(names.length, 'file', 'files')}…`,
  readFiles: (product: string, names: readonly string[]) =>
    `${product}: ${names.length === 1 ? names[0] : plural(names.length, 'file', 'files')}`,
  refused: 'The file cannot be read',
  tooLarge: (megabytes: number) =>
    `The files have ${count(megabytes)} MB; the limit is 20 MB. Export one container or workspace only.`,
  tooMany: (n: number) => `These are ${count(n)} files; at most 5,000 are read.`,
  tooSlow: 'Reading was stopped after 30 seconds. Remove unused parts from the export.',
  unreadable: 'The browser cannot read the file. Choose it again.',
  emptyTitle: 'No export yet',
  empty: 'Choose the file that the other product exports. Nothing changes before you have seen the plan.',
  helpLink: 'How to export',
  reportTitle: 'Report',
  reportNote: (elements: number, channels: number) =>
    `${plural(elements, 'element', 'elements')} of the export became ${plural(channels, 'channel', 'channels')}.`,
  status: {
    mapped: 'moved',
    needsValue: 'needs a value',
    needsDecision: 'needs a decision',
    notMapped: 'no equivalent',
  } satisfies Record<ImportedElement['status'], string>,
  all: 'all',
  filter: 'Filter the report',
  filterHint: 'A name, a kind, a channel',
  columns: { name: 'Element', kind: 'Kind', status: 'Result', channels: 'Channel', notes: 'Why' },
  noMatch: 'Nothing in the report matches',
  more: (n: number) => `Show ${count(n)} more`,
  steps: 'Remaining steps',
  saveReport: 'Save the report',
  exportKnown: 'Anyone who had the export knows its tokens. Replace them where you can.',
  channelsNote: 'Choose the channels to import, and fill in what the export does not contain.',
  noChannels: 'Nothing in this export becomes a channel. The report says why.',
  from: (names: readonly string[]) =>
    `From ${names.slice(0, 5).join(', ')}${names.length > 5 ? ` and ${count(names.length - 5)} more` : ''}`,
  events: (names: readonly string[]) =>
    names.length === 0
      ? 'Gets no event'
      : `Gets ${names.slice(0, 8).join(', ')}${names.length > 8 ? ` and ${count(names.length - 8)} more` : ''}`,
  wasOff: 'switched off in the export',
  issues: {
    missing: 'The export does not have it. Fill it in.',
    broken: 'This is not a sealed entry for this field.',
    otherProvider: 'The tag has a channel of another provider with this name. Enter another one.',
    repeated: 'Another channel of the import has this name. Enter another one.',
  } satisfies Record<MoveIssue, string>,
  rulesRefused: 'Its rules were refused: ',
  targetTitle: 'Where to',
  newTag: 'A new tag',
  target: 'Tag',
  domain: 'Domain',
  domainHint: 'Of the site, such as shop.example.',
  needed: 'Fill it in.',
  targetNote: 'A channel of the tag with the same name is changed. The others stay.',
  plan: 'Show the plan',
  planned: (n: number) => `Fix ${plural(n, 'field', 'fields')} first.`,
  saveFiles: 'Save as files for aglet apply',
  filesNote: 'aglet.json and secrets.json. secrets.json has the tokens in plain text: do not put it into a repository.',
  planTitle: 'Plan',
  planNote: 'The server has checked it. Nothing is changed yet.',
  nothing: 'No changes: the tag already has all of this.',
  changes: { create: 'new', change: 'changed', same: 'no change' },
  makeTag: (name: string) => `New tag ${name}`,
  changeTag: (name: string) => `Tag ${name}`,
  warnings: 'Warnings',
  apply: 'Move in and deploy',
  applyDraft: 'Save as drafts',
  sealed: (labels: readonly string[]) => `Sealed and sent: ${list(labels)}`,
  moreFields: 'Name and other values',
  done: (n: number, tag: string) => `${plural(n, 'channel', 'channels')} moved into ${tag}`,
  doneText: 'Point the page to the tag now, and work through the report.',
  openChannels: 'Open the channels',
  openInstall: 'Install the tag',
  hookErrors: 'Errors of deploy hooks',
}
