import { operations } from '#contract/operations.ts'
import type { Scope } from '#contract/scopes.ts'
import { type PageId, pages } from './addresses.ts'

/** Where an operation of the API is done in the dashboard; `hash` opens the dialog for it. */
export type ActionRow = { page: PageId; hash?: string }

/** Every operation that a person does on a page. The palette offers each one to people who have its scopes. */
export const actions = {
  createScript: { page: 'newChannel' },
  updateScript: { page: 'channels' },
  deleteScript: { page: 'channels' },
  pauseScript: { page: 'channels' },
  resumeScript: { page: 'channels' },
  createTag: { page: 'newTag' },
  applyTagConfig: { page: 'moveIn' },
  updateTag: { page: 'settings' },
  deleteTag: { page: 'settings' },
  deployTag: { page: 'deployments' },
  discardDraft: { page: 'deployments' },
  activateDeployment: { page: 'deployments' },
  createHook: { page: 'hooks' },
  deleteHook: { page: 'hooks' },
  putAlertRule: { page: 'alerts' },
  muteAlertRule: { page: 'alerts' },
  muteAlertRules: { page: 'alerts' },
  deleteAlertRule: { page: 'alerts' },
  putContactPoint: { page: 'alerts' },
  confirmContactPoint: { page: 'alerts' },
  testContactPoint: { page: 'alerts' },
  deleteContactPoint: { page: 'alerts' },
  createReplay: { page: 'replays' },
  stopReplay: { page: 'replays' },
  repairOrders: { page: 'orders' },
  exportTag: { page: 'events' },
  exportAudit: { page: 'audit' },
  preview: { page: 'newChannel' },
  simulate: { page: 'playground' },
  testTag: { page: 'install' },
  createPreviewLink: { page: 'install' },
  findUser: { page: 'visitors' },
  eraseUser: { page: 'visitors' },
  acceptPolicy: { page: 'policies' },
  createApplication: { page: 'applications' },
  rotateClientSecret: { page: 'applications' },
  deleteApplication: { page: 'applications' },
  createApplicationToken: { page: 'applications' },
  deleteToken: { page: 'applications' },
  updateMember: { page: 'members' },
  deleteMember: { page: 'members' },
  createInvitation: { page: 'members', hash: 'invite' },
  deleteInvitation: { page: 'members' },
  endSession: { page: 'me' },
  forgetDevice: { page: 'me' },
  endGrant: { page: 'me' },
  updatePerson: { page: 'me' },
  updateTeam: { page: 'teamSettings' },
  createTeam: { page: 'operator' },
  approvePendingApplication: { page: 'operator' },
  publishPolicy: { page: 'operator' },
} as const satisfies Partial<Record<keyof typeof operations, ActionRow>>

export type ActionId = keyof typeof actions
export const actionIds = Object.keys(actions) as ActionId[]

/** The scopes of a person in the team, and whether they are the operator. */
type PersonRights = { scopes: readonly Scope[]; isOperator: boolean }

/** Whether a person may do an action and open its page. */
export function mayDo(id: ActionId, { scopes, isOperator }: PersonRights): boolean {
  const { access } = operations[id] as { access: readonly Scope[] | 'operator' | 'session' }
  if (access === 'operator') return isOperator
  const needed = [...(access === 'session' ? [] : access), ...pages[actions[id].page].scopes]
  return needed.every((scope) => scopes.includes(scope))
}
