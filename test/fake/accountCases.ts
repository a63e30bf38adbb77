import { createApplication } from '#account/application.ts'
import { operatorHolder as byOperator } from '#account/privilege.ts'
import { createToken } from '#account/token.ts'
import type { accountOperations, Role } from '#contract/account.ts'
import type { FaultName } from '#contract/fault.ts'
import { everyScope } from '#contract/scopes.ts'
import type { sessionOperations } from '#contract/session.ts'
import type { teamOperations } from '#contract/team.ts'
import { newId } from '#kit/id.ts'
import { pageHeaders, sessionCases } from './sessionCases.ts'
import {
  type ControlAnswer,
  type ControlRequest,
  type Customer,
  callControl,
  type TestControl,
  withLimits,
} from './testControl.ts'

type AccountOperationId =
  | keyof typeof accountOperations
  | keyof typeof sessionOperations
  | keyof typeof teamOperations
  | 'readMe'
  | 'readUserMe'
type AccountCases = {
  /** A request of each operation that succeeds. */
  good: Record<AccountOperationId, () => ControlRequest | Promise<ControlRequest>>
  /** One case for each fault in the row of an operation. */
  own: { [Each in AccountOperationId]?: Partial<Record<FaultName, () => Promise<ControlAnswer>>> }
  /** The fault of an id that belongs to another team. */
  theirs: { [Each in AccountOperationId]?: FaultName }
  /** The id of an owner of the customer's team. */
  owner: string
}

/** The cases of the operations about applications, tokens and people; the customer's team gets an owner. */
export async function accountCases(control: TestControl, customer: Customer): Promise<AccountCases> {
  const environment = control.environments.production
  const { teamId } = customer
  const call = (id: AccountOperationId, asked: ControlRequest = {}) => callControl(control, id, customer, asked)
  const operator = await createToken(environment, { teamId, scopes: everyScope }, 'operator')
  const asOperator = { headers: { authorization: `Bearer ${operator.token}` } }
  const nobody = 'per_nope'
  const scopes = ['tag:read'] as const
  let made = 0

  async function newApplication(isApproved = true): Promise<string> {
    const { application } = await createApplication(
      environment,
      teamId,
      { name: `app ${++made}`, scopes: [...scopes] },
      byOperator,
    )
    const { applicationId } = application
    if (isApproved) await call('approveApplication', { values: { applicationId }, ...asOperator })
    return applicationId
  }
  async function newMember(role: Role = 'viewer'): Promise<string> {
    const createdAt = environment.clock.now()
    const personId = newId('per', createdAt)
    await environment.store.write([
      { add: 'person', row: { personId, name: 'Ada', role: 'member', createdAt } },
      { account: { add: 'member', row: { teamId, personId, role, createdAt } } },
    ])
    return personId
  }
  const newToken = async () => (await createToken(environment, { teamId }, 'operator')).tokenId
  const newInvitation = async () =>
    String((await call('createInvitation', { body: { role: 'viewer' } })).body.invitationId)
  const issue = (applicationId: string) =>
    call('createApplicationToken', { values: { applicationId }, body: { scopes } })
  async function thirdToken(): Promise<ControlAnswer> {
    const applicationId = await newApplication()
    await issue(applicationId)
    await issue(applicationId)
    return issue(applicationId)
  }
  const owner = await newMember('owner')
  const sessions = await sessionCases(control, customer)
  /** A person names a team, as is required without a token. */
  const meOfPerson = (id: 'readMe' | 'readUserMe') => {
    const asPerson = async (team: string | undefined) =>
      call(id, { headers: { ...(await pageHeaders(control, owner)), 'team-id': team } })
    return { teamIdMissing: () => asPerson(undefined), teamRefused: () => asPerson(newId('team', 0)) }
  }

  return {
    owner,
    theirs: {
      rotateClientSecret: 'applicationUnknown',
      deleteApplication: 'applicationUnknown',
      createApplicationToken: 'applicationUnknown',
      deleteToken: 'tokenUnknown',
      updateMember: 'memberUnknown',
      deleteMember: 'memberUnknown',
      deleteInvitation: 'invitationUnknown',
    },
    good: {
      createApplication: () => ({ body: { name: `app ${++made}`, scopes } }),
      listApplications: () => ({}),
      approveApplication: async () => ({ values: { applicationId: await newApplication(false) }, ...asOperator }),
      rotateClientSecret: async () => ({ values: { applicationId: await newApplication() }, body: {} }),
      deleteApplication: async () => ({ values: { applicationId: await newApplication() } }),
      createApplicationToken: async () => ({ values: { applicationId: await newApplication() }, body: { scopes } }),
      deleteToken: async () => ({ values: { tokenId: await newToken() } }),
      listMembers: () => ({}),
      updateMember: async () => ({ values: { personId: await newMember() }, body: { role: 'editor' } }),
      deleteMember: async () => ({ values: { personId: await newMember() } }),
      createInvitation: () => ({ body: { role: 'viewer' } }),
      listInvitations: () => ({}),
      deleteInvitation: async () => ({ values: { invitationId: await newInvitation() } }),
      readMe: () => ({}),
      readUserMe: () => ({}),
      readTeam: () => ({}),
      updateTeam: () => ({ body: { name: 'Shop' } }),
      ...sessions.good,
    },
    own: {
      createApplication: {
        nameTaken: async () => {
          await call('createApplication', { body: { name: 'taken', scopes } })
          return call('createApplication', { body: { name: 'taken', scopes } })
        },
        tooManyApplications: async () => {
          await newApplication()
          return withLimits(control, { applicationsPerTeam: 1 }, () =>
            call('createApplication', { body: { name: `app ${++made}`, scopes } }),
          )
        },
      },
      approveApplication: {
        applicationUnknown: () => call('approveApplication', { values: { applicationId: 'app_nope' }, ...asOperator }),
      },
      rotateClientSecret: {
        applicationUnknown: () => call('rotateClientSecret', { values: { applicationId: 'app_nope' }, body: {} }),
        applicationIsPublic: async () => {
          const page = { name: `page ${++made}`, scopes, isPublic: true, redirectUris: ['https://page.example/'] }
          const { applicationId } = (await call('createApplication', { body: page })).body
          return call('rotateClientSecret', { values: { applicationId: String(applicationId) }, body: {} })
        },
      },
      deleteApplication: {
        applicationUnknown: () => call('deleteApplication', { values: { applicationId: 'app_nope' } }),
      },
      createApplicationToken: {
        applicationUnknown: () => issue('app_nope'),
        applicationNotApproved: async () => issue(await newApplication(false)),
        tooManyTokens: thirdToken,
        tokenRateExceeded: async () => {
          const applicationId = await newApplication()
          return withLimits(control, { tokenRate: 1 }, async () => {
            await issue(applicationId)
            return issue(applicationId)
          })
        },
      },
      deleteToken: { tokenUnknown: () => call('deleteToken', { values: { tokenId: 'tok_nope' } }) },
      updateMember: {
        memberUnknown: () => call('updateMember', { values: { personId: nobody }, body: { role: 'editor' } }),
        lastOwner: () => call('updateMember', { values: { personId: owner }, body: { role: 'editor' } }),
      },
      deleteMember: {
        memberUnknown: () => call('deleteMember', { values: { personId: nobody } }),
        lastOwner: () => call('deleteMember', { values: { personId: owner } }),
      },
      deleteInvitation: {
        invitationUnknown: () => call('deleteInvitation', { values: { invitationId: 'inv_nope' } }),
      },
      readMe: meOfPerson('readMe'),
      readUserMe: meOfPerson('readUserMe'),
      ...sessions.own,
    },
  }
}
