import type { AlertKind } from '#contract/alert.ts'
import type { HookKind } from '#contract/hook.ts'
import type { PolicyType } from '#contract/policy.ts'
import type { ActionId } from '#dashboard/actions.ts'
import { plural } from '../format.ts'
import { paletteWords } from './frame.ts'

/** Texts of applications and tokens. */
export const applicationWords = {
  intro: 'Programs that call the API for this team. The operator approves each before it can get tokens.',
  register: 'Register an application',
  scopes: 'Scopes',
  readOnly: 'Read only',
  allScopes: 'All',
  noScopes: 'None',
  redirectUris: 'Redirect addresses',
  redirectHint: 'One on each line, for applications that people sign in to. https, or http on a loopback address.',
  isPublic: 'Public: it cannot keep a secret, such as a mobile app or a page',
  create: 'Register',
  secretTitle: 'The client secret',
  secretNote: 'Copy it now: it is shown only once.',
  clientId: 'Client id',
  clientSecret: 'Client secret',
  noneTitle: 'No applications',
  none: 'Register one to call the API from a program: a server of yours, a script, or the command line.',
  status: { pending: 'waits for the operator', approved: 'approved' },
  public: 'public',
  created: 'Registered',
  tokens: 'Tokens',
  noTokens: 'No tokens of its own',
  token: 'New token',
  tokenTitle: (name: string) => `New token of ${name}`,
  tokenText: 'Two can be valid at once, so that one can replace the other.',
  tokenLife: 'Valid for',
  lives: { '12h': '12 hours', '30d': '30 days', '90d': '90 days', '365d': 'a year' },
  createToken: 'Issue the token',
  tokenMade: 'The token',
  notApproved: 'The operator has not approved it yet.',
  expires: 'Expires',
  revokeTitle: 'Revoke this token?',
  revokeText: 'Programs that use it are refused within five seconds.',
  rotate: 'New secret',
  rotateTitle: (name: string) => `New secret of ${name}`,
  rotateText: 'The previous secret stays valid for a while, so both work while you switch.',
  keepBefore: 'The previous secret works for',
  keeps: { '0m': 'no longer', '1h': '1 hour', '24h': '1 day', '7d': '7 days' },
  rotateDone: 'Create a new secret',
  isPublicWhy: 'A public application has no secret.',
  removeText: 'Its tokens, and the access that people granted to it, end within five seconds.',
  nScopes: (n: number) => plural(n, 'scope', 'scopes'),
}

/** Texts of hooks. */
export const hookWords = {
  intro: 'Your URLs that get a signed request before a deployment goes live, or when a channel has an alert.',
  add: 'Add a hook',
  urlPlaceholder: 'https://',
  urlHint: 'https. It must answer within 5 seconds.',
  kind: 'Called',
  kinds: {
    deploy: 'before each deployment, which it can refuse',
    alert: 'when a channel stops, gives up or recovers',
  } satisfies Record<HookKind, string>,
  kindName: { deploy: 'Deployments', alert: 'Alerts' } satisfies Record<HookKind, string>,
  secretTitle: 'The signing key',
  secretNote: 'Every request is signed with it. Copy it now: it is shown only once.',
  secret: 'Signing key',
  noneTitle: 'No hooks',
  none: 'Add one to review deployments with your own program, or to be notified of channels that stop.',
  removeTitle: 'Remove this hook?',
  removeText: 'It is not called any more.',
}

/** Texts of alerts. */
export const alertWords = {
  intro: 'Alert rules, incidents, and who was notified.',
  noneTitle: 'No alerts',
  none: 'A channel that stops, gives up deliveries or recovers is listed here.',
  columns: { when: 'When', channel: 'Channel', kind: 'What', count: 'Deliveries', sent: 'Sent to hooks' },
  kind: {
    paused: 'stopped',
    resumed: 'resumed',
    failing: 'failed more than a tenth of its deliveries',
    dead: 'gave up deliveries',
    recovered: 'recovered',
  } satisfies Record<AlertKind, string>,
  sent: { pending: 'waits', sent: 'sent', failed: 'failed' },
  tries: (n: number) => plural(n, 'try', 'tries'),
  noHooks: 'no hook',
}

/** Texts of policies. */
export const policyWords = {
  intro: 'Policies that the operator asks this team to accept.',
  name: {
    TERMS_AND_CONDITIONS: 'Terms and conditions',
    PRIVACY_POLICY: 'Privacy policy',
    DATA_PROCESSING_AGREEMENT: 'Data processing agreement',
  } satisfies Record<PolicyType, string>,
  version: 'Version',
  accepted: 'accepted',
  acceptedBy: (name: string) => `by ${name}`,
  required: 'required',
  read: 'Read it',
  open: 'not accepted',
  accept: 'Accept',
  acceptTitle: (name: string, version: string) => `Accept ${name}, version ${version}?`,
  acceptText: 'You accept it for the whole team. This cannot be undone.',
  noneTitle: 'No policies',
  none: 'The operator has not published any.',
}

/** Audited changes that are not done on a page. */
const otherChanges: Record<string, string> = {
  'channel.paused': 'A channel stopped',
  'channel.resumed': 'A channel works again',
  'channel.dead': 'Deliveries were given up',
  'channel.failing': 'A channel is failing',
  'channel.recovered': 'A channel recovered',
  applyTagConfig: 'Apply a configuration',
  patchScript: 'Change settings of a channel',
  createToken: 'Issue a token on the command line',
  readUser: 'View a visitor',
  signIn: 'Sign in',
  signInByLink: 'Sign in by a link',
  signOut: 'Sign out',
  acceptInvitation: 'Join the team',
  changeSignIn: 'Change a sign-in',
  endAlertMails: 'Unsubscribe from alert mails',
  linkSandbox: 'Link an account of the sandbox',
  unlinkSandbox: 'End the link to the sandbox',
  signInByProduction: 'Sign in through production',
  confirmEmail: 'Confirm an e-mail',
  createEmailLink: 'Send a link to an e-mail',
  createSignInLink: 'Create a sign-in link',
  createResetLink: 'Create a link for a new password',
  requestReset: 'Ask for a new password',
  resetPassword: 'Set a new password by a link',
  grantApplication: 'Grant access to an application',
  grantToken: 'Give an application a token',
  approveApplication: 'Approve an application for a team',
  withdrawPolicy: 'Withdraw a policy',
  createSealingKey: 'Create a sealing key',
  rotateSealingKey: 'Rotate the sealing key',
  rotateTeamKey: 'Rotate the team key',
  rotateRootKey: 'Rotate the root key',
  expireUsers: 'Delete visitors by retention',
}

/** Texts of the audit. */
export const auditWords = {
  intro: 'Every change of this team’s objects: who, what, when, from where, and the state before and after.',
  others: otherChanges,
  change: (what: string) => {
    const [name = '', end] = what.split('.')
    const text = otherChanges[what] ?? otherChanges[name] ?? paletteWords.action[name as ActionId] ?? what
    return end === 'refused' ? `${text}: refused` : text
  },
  columns: { when: 'When', who: 'Who', what: 'What', object: 'Object', from: 'From' },
  by: 'Who',
  what: 'What',
  object: 'Object',
  from: 'from',
  to: 'to',
  anyone: 'Everyone',
  anything: 'Every change',
  objectPlaceholder: 'id of an object',
  team: 'This team',
  noneTitle: 'Nothing happened yet',
  none: 'The first change appears here at once.',
  noMatch: 'No change matches',
  before: 'Before',
  after: 'After',
  details: 'Show what changed',
}
