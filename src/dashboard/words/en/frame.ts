import type { Role } from '#contract/account.ts'
import type { EnvironmentName } from '#contract/me.ts'
import type { PageId } from '#dashboard/addresses.ts'
import { ago, count, list, plural } from '../format.ts'

const titles: Record<PageId, string> = {
  team: 'All tags',
  overview: 'Overview',
  live: 'Live',
  events: 'Events',
  event: 'Event',
  deliveries: 'Deliveries',
  channels: 'Channels',
  newChannel: 'Add a channel',
  channel: 'Channel',
  editChannel: 'Channel settings',
  install: 'Install',
}
const environments: Record<EnvironmentName, string> = { production: 'Production', sandbox: 'Sandbox' }
const roles: Record<Role, string> = { owner: 'owner', editor: 'editor', viewer: 'viewer' }

/** Texts of the frame and of the parts that all pages share. */
export const frameWords = {
  product: 'Aglet',
  title: (page: PageId) => titles[page],
  documentTitle: (...parts: (string | undefined)[]) => [...parts.filter(Boolean), 'Aglet'].join(' · '),
  environment: (name: EnvironmentName) => environments[name],
  role: (role: Role) => roles[role],
  skip: 'Skip to the content',
  navigation: 'Navigation',
  openNavigation: 'Open the navigation',
  closeNavigation: 'Close the navigation',
  chooseTeam: 'Team',
  chooseTag: 'Tag',
  allTags: 'All tags',
  noTag: 'Choose a tag',
  tagPart: 'Tag',
  teamPart: 'Team',
  members: 'Members',
  account: 'Your account',
  apiReference: 'API reference',
  signOut: 'Sign out',
  search: 'Search or jump to…',
  shortcut: 'Ctrl K',
  keys: 'Keyboard',
  theme: 'Theme',
  themes: { system: 'System', light: 'Light', dark: 'Dark' },
  zone: 'Times',
  zones: { local: 'Local time', utc: 'UTC' },
  letters: 'Single-letter keys',
  on: 'On',
  off: 'Off',
  close: 'Close',
  cancel: 'Cancel',
  copy: 'Copy',
  copied: 'Copied',
  cutText: (shown: number, all: number) =>
    `The first ${count(shown)} of ${count(all)} characters. Copy takes the whole.`,
  more: 'More',
  clear: 'Clear',
  back: (to: string) => `Back to ${to}`,
  loading: 'Loading…',
  tryAgain: 'Try again',
  failed: 'This did not load',
  offline: 'You are offline.',
  offlineSince: (at: number, now: number) =>
    `You are offline. What you see was read ${now - at < 2_000 ? 'just now' : ago(at, now)}; nothing can be changed.`,
  waiting: (afterS: number) => `The server is busy. The next try is in ${plural(afterS, 'second', 'seconds')}.`,
  goneTitle: 'There is nothing here',
  gone: 'It may have been deleted, or it is older than the server keeps.',
  goneLink: 'Go to the overview',
  noTeamTitle: 'No team',
  noTeam: 'You are not a member of a team. An owner can invite you by a link.',
  notMemberTitle: 'Not your team',
  notMember: 'You are not, or no longer, a member of this team, or it does not exist in this environment.',
  otherTeam: 'Go to your team',
  unknownPage: 'There is no page at this address.',
  needsRole: (needed: Role, own: Role | undefined) =>
    `Needs the role ${roles[needed]}${own ? `; yours is ${roles[own]}` : ''}.`,
  noPermissionTitle: 'Not for your role',
  brokenTitle: 'This page has a fault',
  broken: 'Something on this page went wrong. Nothing was changed.',
  reload: 'Load the page again',
  results: (n: number) => plural(n, 'result', 'results'),
  rows: (n: number) => plural(n, 'row', 'rows'),
  loadedRows: (n: number, isAll: boolean) => (isAll ? plural(n, 'row', 'rows') : `${plural(n, 'row', 'rows')} loaded`),
  tagDeleted: 'This tag does not exist, or was deleted.',
  tagDeletedAction: 'Show all tags',
  and: list,
}

/** Texts of sign-in. */
export const signInWords = {
  title: 'Sign in',
  environment: (name: EnvironmentName) => `to ${environments[name]}`,
  again: 'Your session ended',
  againText: 'Sign in again and go on where you were. What you typed is still there, except for secrets.',
  email: 'E-mail',
  password: 'Password',
  submit: 'Sign in',
  working: 'Signing in…',
  help: 'No password yet? The operator’s printed link and an invitation both sign you in.',
  errors: {
    refused: 'The e-mail or the password is wrong.',
    tooMany: 'Too many attempts. Try again in a quarter of an hour.',
    failed: 'The server could not sign you in. Try again in a moment.',
  },
}

/** Texts of the palette and of the list of keys. */
export const paletteWords = {
  title: 'Search or jump',
  placeholder: 'A page, a tag, a channel or an event id',
  none: 'Nothing matches. An event is found by its whole id.',
  openEvent: (id: string) => `Open event ${id}`,
  groups: { page: 'Pages', tag: 'Tags', channel: 'Channels', event: 'Event', action: 'Actions' },
  keysTitle: 'Keyboard',
  keys: [
    ['Ctrl K', 'Search or jump'],
    ['/', 'Filter the list'],
    ['j  k', 'Next or previous row'],
    ['Enter', 'Open the row'],
    ['[  ]', 'Previous or next event'],
    ['.', 'Pause or go on with live rows'],
    ['g then a letter', 'Go to a page'],
    ['?', 'This list'],
    ['Esc', 'Close'],
  ] as const,
}
