import { createApplication } from '#account/application.ts'
import { parseLinkSecret } from '#account/invitation.ts'
import { operatorHolder } from '#account/privilege.ts'
import { createSignInLink, signInByLink } from '#account/signInLink.ts'
import type { FaultName } from '#contract/fault.ts'
import type { operatorOperations } from '#contract/operator.ts'
import type { ControlDeps } from '#control/controlDeps.ts'
import { type ControlAnswer, type ControlRequest, type Customer, callControl, type TestControl } from './testControl.ts'

type OperatorOperationId = keyof typeof operatorOperations
type OperatorCases = {
  good: Record<OperatorOperationId, () => Promise<ControlRequest>>
  own: { [Id in OperatorOperationId]?: Partial<Record<FaultName, () => Promise<ControlAnswer>>> }
}

/** A session of the operator, opened by a link. */
export async function operatorSession(deps: ControlDeps): Promise<string> {
  const { url } = await createSignInLink(deps, deps.baseUrl)
  return (await signInByLink(deps, parseLinkSecret(url), 'a test'))!
}

/** The cases of the operations of the signed-in operator. */
export function operatorCases(control: TestControl, customer: Customer): OperatorCases {
  const environment = control.environments.production
  let made = 0
  const asOperator = async (more: ControlRequest = {}): Promise<ControlRequest> => ({
    ...more,
    headers: { authorization: `Bearer ${await operatorSession(environment)}`, 'team-id': undefined },
  })
  async function pendingApplication(): Promise<string> {
    const write = { name: `pending ${++made}`, scopes: ['tag:read' as const] }
    return (await createApplication(environment, customer.teamId, write, operatorHolder)).application.applicationId
  }
  return {
    good: {
      listTeams: asOperator,
      createTeam: () => asOperator({ body: { name: `team ${++made}` } }),
      listPendingApplications: async () => {
        await pendingApplication()
        return asOperator()
      },
      approvePendingApplication: async () => asOperator({ values: { applicationId: await pendingApplication() } }),
      listPublishedPolicies: asOperator,
      publishPolicy: () => asOperator({ body: { policyType: 'PRIVACY_POLICY', version: '1', required: false } }),
      readHealth: asOperator,
      readSettings: asOperator,
    },
    own: {
      approvePendingApplication: {
        applicationUnknown: async () => {
          const asked = await asOperator({ values: { applicationId: 'app_nope' } })
          return callControl(control, 'approvePendingApplication', customer, asked)
        },
      },
    },
  }
}
