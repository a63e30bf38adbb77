import type { FaultName } from '#contract/fault.ts'
import type { policyOperations } from '#contract/policy.ts'
import { publishPolicy } from '#policy/policy.ts'
import { type ControlAnswer, type ControlRequest, type Customer, callControl, type TestControl } from './testControl.ts'

type PolicyOperationId = keyof typeof policyOperations
type PolicyCases = {
  good: Record<PolicyOperationId, () => ControlRequest>
  own: Record<PolicyOperationId, Partial<Record<FaultName, () => Promise<ControlAnswer>>>>
  /** Makes a call while a policy is required that the team has not accepted. */
  whileRequired(act: () => Promise<ControlAnswer>): Promise<ControlAnswer>
}

/** The cases of the operations on policies; publishes an optional one. */
export async function policyCases(control: TestControl, customer: Customer): Promise<PolicyCases> {
  const policy = { policyType: 'PRIVACY_POLICY', version: '1' } as const
  await publishPolicy(control.environments.production, { ...policy, required: false }, 'operator')
  const call = (id: PolicyOperationId, asked: ControlRequest) => callControl(control, id, customer, asked)
  return {
    good: {
      readLatestPolicies: () => ({}),
      readPolicy: () => ({ values: { policyId: 'PRIVACY_POLICY' } }),
      acceptPolicy: () => ({ body: policy }),
    },
    own: {
      readLatestPolicies: {
        policyIdMissing: () => call('readLatestPolicies', { values: { policyType: ' ' } }),
        policyNotFound: () => call('readLatestPolicies', { values: { policyType: 'DATA_PROCESSING_AGREEMENT' } }),
      },
      readPolicy: {
        policyIdMissing: () => call('readPolicy', { values: { policyId: ' ' } }),
        policyNotFound: () => call('readPolicy', { values: { policyId: 'PRIVACY_POLICY@2' } }),
      },
      acceptPolicy: { policyNotFound: () => call('acceptPolicy', { body: { ...policy, version: '2' } }) },
    },
    async whileRequired(act) {
      const terms = { policyType: 'TERMS_AND_CONDITIONS', version: '1' } as const
      await publishPolicy(control.environments.production, { ...terms, required: true }, 'operator')
      const answer = await act()
      await publishPolicy(control.environments.production, { ...terms, required: false }, 'operator')
      return answer
    },
  }
}
