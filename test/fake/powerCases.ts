import { approveApplication, createApplication } from '#account/application.ts'
import { invite } from '#account/invitation.ts'
import { operatorHolder } from '#account/privilege.ts'
import { roleScopes } from '#account/roleScopes.ts'
import { createToken, revokeToken } from '#account/token.ts'
import { type Role, roles } from '#contract/account.ts'
import type { OperationId } from '#contract/operations.ts'
import { type Scope, scopes } from '#contract/scopes.ts'
import { readableScopes } from '#control/contactPoints.ts'
import { newId } from '#kit/id.ts'
import { slackUrl } from './alertCases.ts'
import {
  type ControlAnswer,
  type ControlRequest,
  type Customer,
  callControl,
  makeScript,
  sealPlain,
  type TestControl,
} from './testControl.ts'

/** One request of an operation, and the scopes of the access that it grants, changes or ends. */
export type Try = {
  title: string
  needs: readonly Scope[]
  asked(): Promise<ControlRequest> | ControlRequest
  /** Reverts the effect, so that the next request can be tried. */
  after?(answer: ControlAnswer): Promise<void>
}

/** Every request of the operations that grant, change or end access for a team. */
export function powerTries(control: TestControl, customer: Customer): { [Id in OperationId]?: readonly Try[] } {
  const environment = control.environments.production
  const { teamId } = customer
  let made = 0
  const cached = <Value>(make: (name: string) => Promise<Value>) => {
    const values = new Map<string, Value>()
    return {
      async of(name: string): Promise<Value> {
        const value = values.get(name) ?? (await make(name))
        values.set(name, value)
        return value
      },
      gone: (name: string) => void values.delete(name),
    }
  }
  async function newApplication(granted: readonly Scope[]): Promise<string> {
    const write = { name: `app ${++made}`, scopes: granted as (typeof scopes)[number][] }
    const { application } = await createApplication(environment, teamId, write, operatorHolder)
    await approveApplication(environment, application.applicationId, operatorHolder)
    return application.applicationId
  }
  async function newMember(role: Role): Promise<string> {
    const createdAt = environment.clock.now()
    const personId = newId('per', createdAt)
    await environment.store.write([
      { add: 'person', row: { personId, name: 'Ada', role: 'member', createdAt } },
      { account: { add: 'member', row: { teamId, personId, role, createdAt } } },
    ])
    return personId
  }
  const applications = cached((scope) => newApplication([scope as Scope]))
  const tokens = cached(
    async (scope) => (await createToken(environment, { teamId, scopes: [scope] }, 'operator')).tokenId,
  )
  const members = cached((role) => newMember(role as Role))
  const invitations = cached(
    async (role) => (await invite(environment, { teamId, role: role as Role }, operatorHolder)).invitation.invitationId,
  )
  const everything = cached(() => newApplication(scopes))
  const goneIfDone = (from: { gone(name: string): void }, name: string) => async (answer: ControlAnswer) => {
    if (answer.status === 200) from.gone(name)
  }
  const ofScope = (make: (scope: Scope) => Omit<Try, 'title' | 'needs'>): Try[] =>
    scopes.map((scope) => ({ title: scope, needs: [scope], ...make(scope) }))
  const ofRole = (make: (role: Role) => Omit<Try, 'title' | 'needs'>): Try[] =>
    roles.map((role) => ({ title: role, needs: roleScopes(role), ...make(role) }))

  const scripts = cached(() => makeScript(control, customer, { name: 'kept' }))
  const sink = { providerId: 'eventSink', tagId: customer.tagId }
  const code = () => sealPlain(control, customer, 'playground', ['PLAYGROUND_CODE', 'TEXT', 'async tag() {}'])
  const address = () => sealPlain(control, customer, 'eventSink', ['EVENT_SINK_URL', 'TEXT', 'https://other.example/'])

  return {
    applyTagConfig: [
      { title: 'its settings', needs: [], asked: () => ({ body: { tagId: customer.tagId, tag: { gpc: true } } }) },
      {
        title: 'code',
        needs: ['secret:write'],
        asked: async () => {
          const script = { name: `config ${++made}`, providerId: 'playground', secrets: await code() }
          return { body: { tagId: customer.tagId, scripts: [script] } }
        },
      },
      {
        title: 'a removal',
        needs: ['script:delete'],
        asked: async () => {
          const scriptId = await makeScript(control, customer, { name: `removed ${++made}` })
          return { body: { tagId: customer.tagId, removedScriptIds: [scriptId] } }
        },
      },
    ],
    createScript: [
      {
        title: 'code',
        needs: ['secret:write'],
        asked: async () => ({
          body: { name: `code ${++made}`, providerId: 'playground', tagId: customer.tagId, secrets: await code() },
        }),
      },
    ],
    updateScript: [
      {
        title: 'its settings',
        needs: [],
        asked: async () => ({ values: { scriptId: await scripts.of('') }, body: { name: 'kept', ...sink } }),
      },
      {
        title: 'its secrets',
        needs: ['secret:write'],
        asked: async () => ({
          values: { scriptId: await scripts.of('') },
          body: { name: 'kept', ...sink, secrets: await address() },
        }),
      },
    ],
    patchScript: [
      {
        title: 'its settings',
        needs: [],
        asked: async () => ({ values: { scriptId: await scripts.of('') }, body: {} }),
      },
      {
        title: 'its secrets',
        needs: ['secret:write'],
        asked: async () => ({ values: { scriptId: await scripts.of('') }, body: { secrets: await address() } }),
      },
    ],
    createApplication: ofScope((scope) => ({
      asked: () => ({ body: { name: `app ${++made}`, scopes: [scope] } }),
    })),
    rotateClientSecret: ofScope((scope) => ({
      asked: async () => ({ values: { applicationId: await applications.of(scope) }, body: {} }),
    })),
    deleteApplication: ofScope((scope) => ({
      asked: async () => ({ values: { applicationId: await applications.of(scope) } }),
      after: goneIfDone(applications, scope),
    })),
    createApplicationToken: ofScope((scope) => ({
      asked: async () => ({ values: { applicationId: await everything.of('') }, body: { scopes: [scope] } }),
      async after({ status, body }) {
        if (status === 200) await revokeToken(environment, String(body.tokenId), 'operator')
      },
    })),
    deleteToken: ofScope((scope) => ({
      asked: async () => ({ values: { tokenId: await tokens.of(scope) } }),
      after: goneIfDone(tokens, scope),
    })),
    createInvitation: ofRole((role) => ({ asked: () => ({ body: { role } }) })),
    deleteInvitation: ofRole((role) => ({
      asked: async () => ({ values: { invitationId: await invitations.of(role) } }),
      after: goneIfDone(invitations, role),
    })),
    updateMember: roles.flatMap((from) =>
      roles.map((role) => ({
        title: `${from} to ${role}`,
        needs: [...roleScopes(from), ...roleScopes(role)],
        asked: async () => ({ values: { personId: await members.of(from) }, body: { role } }),
        after: goneIfDone(members, from),
      })),
    ),
    deleteMember: ofRole((role) => ({
      asked: async () => ({ values: { personId: await members.of(role) } }),
      after: goneIfDone(members, role),
    })),
    putContactPoint: [
      {
        ...{ title: 'what messages tell', needs: readableScopes },
        asked: () => ({ values: { name: 'ops' }, body: { kind: 'slack', url: slackUrl } }),
      },
    ],
    putAlertRule: [
      {
        ...{ title: 'what messages tell', needs: readableScopes },
        async asked() {
          const contact = { values: { name: 'ops' }, body: { kind: 'slack', url: slackUrl } }
          await callControl(control, 'putContactPoint', customer, contact)
          return { values: { name: 'stopped' }, body: { kind: 'channelStopped', to: ['ops'] } }
        },
      },
    ],
    createHook: (['tag:read', 'script:read'] as const).map((needed) => ({
      title: needed,
      needs: [needed],
      asked: () => ({ body: { url: 'https://ci.example.com/', kind: needed === 'tag:read' ? 'deploy' : 'alert' } }),
      async after({ status, body }) {
        if (status === 200) await environment.store.write([{ drop: 'hook', hookId: String(body.hookId) }])
      },
    })),
  }
}
